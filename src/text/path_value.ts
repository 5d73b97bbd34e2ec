/**
 * Values for path parameters in generated URLs.
 *
 * @module
 */

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
