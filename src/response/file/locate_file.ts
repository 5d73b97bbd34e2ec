/**
 * Locates the file that a handler wants to send and checks that the client may receive it.
 *
 * @module
 */

import { resolve } from "node:path";
import { RecentMap } from "../../data/recent_map.ts";
import { fromFileURL } from "../../text/file_path.ts";
import { Folder } from "./folder.ts";
import type { Bounds } from "./open_file.ts";

const mostFolders = 64;
const folders = new RecentMap<Folder>({ most: mostFolders });

/** A file on disk. */
interface Located {
  readonly path: string;
  /** The folder that must contain the file, if the handler specified one. */
  readonly bounds?: Bounds;
}

/**
 * Locates a file.
 *
 * @param file The path or URL given by the handler.
 * @param root The folder that must contain the file. If set, the path is relative to it.
 * @returns The file, or `undefined` if the path does not lead to a file that may be served.
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
 * Reports whether a path contains a `..` segment. The segment may come from the client, and the handler cannot know
 * where it leads. To serve a file from a parent folder, pass a URL.
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
  folders.set(base, folder);
  return folder;
}

function pathOf(root: string | URL): string {
  return resolve(root instanceof URL ? fromFileURL(root) : root);
}
