/**
 * Locates the file that a handler wants to send and checks that the client may receive it.
 *
 * @module
 */

import { checkText } from "../../../base/config/option_table.ts";
import { posix, win32 } from "node:path";
import { RecentMap } from "../../../base/data/recent_map.ts";
import { fromFileURL, hasPlainNames, isInside, pathIn, type System } from "../../../base/text/file_name.ts";
import { Folder } from "./folder.ts";
import type { Bounds } from "./open_file.ts";

/** The prefix of Windows paths that are passed on as they are. Such paths must not contain forward slashes. */
const verbatim = /^[\\/]{2}[?.][\\/](?:(?=[a-z]:)|UNC[\\/])/i;

/**
 * Returns the absolute path of a folder.
 *
 * @param dir The folder's path or `file:` URL.
 * @param system The operating system. Defaults to the current one.
 * @returns The path, which ends with a separator only if the folder is the root of a file system.
 */
export function folderPath(dir: string | URL, system: System = Deno.build.os): string {
  const path = dir instanceof URL ? fromFileURL(dir, system) : dir;
  if (system !== "windows") return posix.resolve(path);
  const plain = path.replace(verbatim, (prefix) => prefix.length > 4 ? "\\\\" : "");
  // The letter of a drive may be written in either case.
  return win32.resolve(plain).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

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
  if (!(file instanceof URL)) checkText(file, "file", "ServeFile");
  if (root === undefined) {
    const path = file instanceof URL ? fromFileURL(file) : file;
    return !hasPlainNames(path, Deno.build.os) || (path === file && isUpward(path)) ? undefined : { path };
  }
  const base = folderPath(root);
  const below = (file instanceof URL ? belowOf(base, folderPath(file)) : file)?.replaceAll("\\", "/");
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
  return isInside(base, path) ? path.slice(pathIn(base, "").length) : undefined;
}

function folderOf(base: string): Folder {
  const known = folders.get(base);
  if (known !== undefined) return known;
  const folder = new Folder(base, { showHidden: false, followLinks: false });
  folders.set(base, folder);
  return folder;
}
