/**
 * File paths in the operating system's notation.
 *
 * This module uses only the parts of `@std/path` that do not detect the operating system. The detection accesses
 * `process`, which makes Deno load a part of Node.js and takes 20 ms. The whole package also has 39 modules for Deno to
 * open at every start.
 *
 * @module
 */

import { fromFileUrl as posixPath } from "@std/path/posix/from-file-url";
import { fromFileUrl as windowsPath } from "@std/path/windows/from-file-url";

const isWindows = Deno.build.os === "windows";
const separator = isWindows ? "\\" : "/";

/**
 * Converts a `file:` URL to a path.
 *
 * @param url The URL to convert.
 */
export function fromFileURL(url: string | URL): string {
  return isWindows ? windowsPath(url) : posixPath(url);
}

/**
 * Reports whether a path is equal to a folder or inside it. Both must be real paths.
 *
 * @param folder The folder.
 * @param path The path to check.
 */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}
