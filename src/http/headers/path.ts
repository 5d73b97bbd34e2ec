/**
 * Converts request paths to the form that the router matches: decoded, and trimmed or lowercased as configured.
 *
 * @module
 */

import { innerSlash } from "../../base/text/path_value.ts";

const slash = 47;

/**
 * Decodes a path once, keeping `%2F` distinct from the slashes that separate segments.
 *
 * @returns The decoded path, or `undefined` if an escape sequence is malformed.
 */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, innerSlash));
  } catch {
    return undefined;
  }
}

/**
 * Removes trailing slashes from a path. A loop is used because a regular expression such as `/\/+$/` starts over at
 * every slash and takes seconds for 60,000 slashes.
 *
 * @returns The trimmed path, which is empty if the path consists only of slashes.
 */
export function trimFinalSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === slash) end--;
  return path.slice(0, end);
}

/** Converts only A to Z to lower case. The length must not change, because parameters are located by position. */
export function lowerASCII(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
