/**
 * Slashes inside of segments: those that were escaped in a path.
 *
 * @module
 */

/**
 * Stands in a decoded path for a slash that was escaped, and so does not separate segments. It is the second half of
 * a surrogate pair: decoded text holds it only behind a first half.
 */
export const innerSlash = "\udc2f";

// By code points, or the second half of "\u{1f42f}", a tiger, would be taken for a slash.
const alone = /\udc2f/gu;

/** Turns the escaped slashes of a decoded value back into slashes; the length stays. */
export function restoreSlashes(value: string): string {
  return value.includes(innerSlash) ? value.replace(alone, "/") : value;
}
