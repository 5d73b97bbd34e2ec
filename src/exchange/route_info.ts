/**
 * Information about a request's route.
 *
 * @module
 */

/** Information about a registered route. */
export interface RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`, or an empty string for the root domain. */
  readonly Subdomain: string;
  /** The route name. Defaults to the method, subdomain and path. */
  readonly Name: string;
  /** The names of the path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, or `undefined` if no controller serves the route. */
  readonly Controller: string | undefined;
  /** The name of the controller method, or `undefined` if no controller serves the route. */
  readonly Action: string | undefined;
}
