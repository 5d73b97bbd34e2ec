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
import type { System } from "./file_name.ts";

/**
 * Converts a `file:` URL to a path.
 *
 * @param url The URL to convert.
 * @param system The operating system. Defaults to the current one.
 */
export function fromFileURL(url: string | URL, system: System = Deno.build.os): string {
  return system === "windows" ? windowsPath(url) : posixPath(url);
}

/**
 * Reports whether a path is equal to a folder or inside it. Both must be real paths.
 *
 * @param folder The folder.
 * @param path The path to check.
 * @param system The operating system. Defaults to the current one.
 */
export function isInside(folder: string, path: string, system: System = Deno.build.os): boolean {
  const separator = system === "windows" ? "\\" : "/";
  return path === folder || path.startsWith(isRoot(folder, system) ? folder : folder + separator);
}

/**
 * Returns a path inside a folder, which may be the root of a file system.
 *
 * @param folder The folder's path.
 * @param rest The path relative to the folder.
 * @param system The operating system. Defaults to the current one.
 */
export function pathIn(folder: string, rest: string, system: System = Deno.build.os): string {
  return isRoot(folder, system) ? folder + rest : `${folder}/${rest}`;
}

/** Reports whether a path is the root of a file system, which is the only one that ends with a separator. */
function isRoot(folder: string, system: System): boolean {
  return folder.endsWith("/") || (system === "windows" && folder.endsWith("\\"));
}
