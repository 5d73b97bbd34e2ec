/**
 * The path of a folder to serve.
 *
 * @module
 */

import { posix, win32 } from "node:path";
import type { System } from "../../text/file_name.ts";
import { fromFileURL } from "../../text/file_path.ts";

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
