/**
 * Escaped slashes inside path segments.
 *
 * @module
 */

/**
 * Represents an escaped slash in a decoded path, so that it does not separate segments. It is a low surrogate, which in
 * decoded text appears only after a high surrogate.
 */
export const innerSlash = "\udc2f";

// The expression matches code points; otherwise the low surrogate of "\u{1f42f}", a tiger, would be taken for a slash.
const alone = /\udc2f/gu;

/** Replaces the markers for escaped slashes with slashes. The length does not change. */
export function restoreSlashes(value: string): string {
  return value.includes(innerSlash) ? value.replace(alone, "/") : value;
}
