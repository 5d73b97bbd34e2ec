/**
 * The path of a request as the router compares it: decoded, and trimmed or lowered where the configuration says so.
 *
 * @module
 */

import { innerSlash } from "../base/inner_slash.ts";

const slash = 47;

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

/**
 * Cuts the slashes at the end of a path off. By a walk: an expression such as `/\/+$/` begins anew at every slash of
 * the path, and 60,000 of them take seconds.
 *
 * @returns The path; empty for one that is nothing but slashes.
 */
export function trimFinalSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === slash) end--;
  return path.slice(0, end);
}

/** Lowers A to Z and nothing else: the length must stay, since parameters are found by position. */
export function lowerASCII(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
