/**
 * Which file on the disk a handler means, if the client may have it.
 *
 * @module
 */

import { resolve } from "node:path";
import { fromFileURL } from "../../base/file_path.ts";
import { Folder } from "./folder.ts";
import type { Bounds } from "./open_file.ts";

const mostFolders = 64;
const folders = new Map<string, Folder>();

/** A file on the disk. */
interface Located {
  readonly path: string;
  /** The folder that it must lie in, if the handler named one. */
  readonly bounds?: Bounds;
}

/**
 * Finds the path of a file.
 *
 * @param file The file as the handler names it.
 * @param root The folder that it must lie in; a path that is relative to it then.
 * @returns The file; `undefined` where it leads to nothing that may be served.
 */
export async function locateFile(file: string | URL, root: string | URL | undefined): Promise<Located | undefined> {
  if (root === undefined) {
    if (file instanceof URL) return { path: fromFileURL(file) };
    return isUpward(file) ? undefined : { path: file };
  }
  const base = pathOf(root);
  const below = file instanceof URL ? belowOf(base, fromFileURL(file)) : file.replaceAll("\\", "/");
  const folder = folderOf(base);
  const found = below === undefined ? undefined : await folder.find(below);
  return found?.kind === "file" && !below?.endsWith("/") ? { path: found.path, bounds: folder } : undefined;
}

/**
 * Reports whether a path has a step upwards. It may come from the client, and no handler can tell where a folder and
 * such a text lead; a handler that means a folder above another names it by a URL.
 */
function isUpward(path: string): boolean {
  return path.includes("..") && path.split(/[/\\]/).includes("..");
}

function belowOf(base: string, path: string): string | undefined {
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

function folderOf(base: string): Folder {
  const known = folders.get(base);
  if (known !== undefined) return known;
  const folder = new Folder(base, { showHidden: false, followLinks: false });
  if (folders.size >= mostFolders) folders.clear();
  folders.set(base, folder);
  return folder;
}

function pathOf(root: string | URL): string {
  return resolve(root instanceof URL ? fromFileURL(root) : root);
}
