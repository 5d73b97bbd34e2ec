/**
 * The path of a request: where it lies in the URL, and how its escapes are read.
 *
 * @module
 */

import { innerSlash } from "../base/slash.ts";

/**
 * Decodes a path once, with `%2F` kept apart from the slashes between segments.
 *
 * @returns The decoded path, or `undefined` when an escape is malformed.
 */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, innerSlash));
  } catch {
    return undefined;
  }
}

/** Lowers A to Z and nothing else: the length must stay, since parameters are found by position. */
export function lowerASCII(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
