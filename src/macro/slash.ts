/**
 * Slashes inside of segments.
 *
 * @module
 */

/**
 * Stands in a decoded path for a slash that was escaped, and so is no border between segments. It is half of a surrogate
 * pair, which no decoded text can hold.
 */
export const innerSlash = "\udc2f";

/** Turns the escaped slashes of a decoded value back into slashes; the length stays. */
export function restoreSlashes(value: string): string {
  return value.includes(innerSlash) ? value.replaceAll(innerSlash, "/") : value;
}
