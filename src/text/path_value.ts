/**
 * Values for path parameters in generated URLs.
 *
 * @module
 */

/** A value for a path parameter. */
export type PathValue = string | number | bigint | boolean | Date;

/** The path generated from a route's name and values. */
export interface ReversedPath {
  /** The escaped path. */
  readonly path: string;
  /** The route's subdomain with its trailing dot, such as `admin.`, or an empty string for the root domain. */
  readonly subdomain: string;
}
