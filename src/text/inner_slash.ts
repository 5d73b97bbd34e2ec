/**
 * Escaped slashes inside path segments.
 *
 * @module
 */

/**
 * Represents an escaped slash in a decoded path, so that it does not separate segments. It is a low surrogate, which
 * otherwise only appears after a high surrogate.
 */
export const innerSlash = "\udc2f";

// The `u` flag makes the expression match whole code points. Without it, the low surrogate of "\u{1f42f}", a tiger,
// would be mistaken for a slash.
const alone = /\udc2f/gu;

/** Replaces the markers for escaped slashes with slashes. The length does not change. */
export function restoreSlashes(value: string): string {
  return value.includes(innerSlash) ? value.replace(alone, "/") : value;
}
