/**
 * Paths of files, in the spelling of this system.
 *
 * Of `@std/path` only what does not look for the system is used: to tell Windows from others it asks for `process`,
 * with which Deno loads a part of Node.js for 20 ms, and all of it is 39 modules that Deno opens at every start.
 *
 * @module
 */

import { fromFileUrl as posixPath } from "@std/path/posix/from-file-url";
import { fromFileUrl as windowsPath } from "@std/path/windows/from-file-url";

const isWindows = Deno.build.os === "windows";
const separator = isWindows ? "\\" : "/";

/**
 * Returns the path of a `file:` URL.
 *
 * @param url The URL.
 */
export function fromFileURL(url: string | URL): string {
  return isWindows ? windowsPath(url) : posixPath(url);
}

/**
 * Reports whether a path is a folder, or lies inside of it; both are real paths.
 *
 * @param folder The folder.
 * @param path The path.
 */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}
