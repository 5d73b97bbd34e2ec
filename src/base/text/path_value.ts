/**
 * Values of path parameters, and the slashes inside them.
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

/** A single value for a path parameter. */
export type PathItem = string | number | bigint | boolean | Date;

/** A value for a path parameter, or a list of values for several parameters or for the segments of a catch-all. */
export type PathValue = PathItem | readonly PathItem[];

/** The path generated from a route's name and values. */
export interface ReversedPath {
  /** The escaped path. */
  readonly path: string;
  /** The route's subdomain with its trailing dot, such as `admin.`, or an empty string for the root domain. */
  readonly subdomain: string;
}
