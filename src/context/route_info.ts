/**
 * What a request may know of its route.
 *
 * @module
 */

/** What is known of a registered route. */
export interface RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template with the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`; empty for the root domain. */
  readonly Subdomain: string;
  /** A name to tell it by: method, subdomain and path, unless it was renamed. */
  readonly Name: string;
  /** The names of its path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, when a controller serves it. */
  readonly Controller: string | undefined;
  /** The name of the controller's method, when a controller serves it. */
  readonly Action: string | undefined;
}
