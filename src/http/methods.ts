/**
 * The HTTP methods that routes are registered for.
 *
 * @module
 */

/** The name of an HTTP method: an editor offers the usual ones, any other text is accepted and checked later. */
export type MethodName =
  | "GET"
  | "POST"
  | "PUT"
  | "DELETE"
  | "CONNECT"
  | "HEAD"
  | "PATCH"
  | "OPTIONS"
  | "TRACE"
  | (string & Record<never, never>);

/** The methods that `Any` registers, and the only ones that a route can have. */
export const Methods: readonly string[] = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "HEAD",
  "PATCH",
  "OPTIONS",
  "TRACE",
];
