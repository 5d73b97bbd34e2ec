/**
 * Values of path parameters, on their way into a path.
 *
 * @module
 */

/** A value for a path parameter. */
export type PathValue = string | number | bigint | boolean | Date;

/** What the name of a route and values lead to. */
export interface ReversedPath {
  /** The path, escaped. */
  readonly path: string;
  /** The subdomain of the route with its final dot, such as `admin.`; empty for the root domain. */
  readonly subdomain: string;
}
