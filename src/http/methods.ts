/**
 * The HTTP methods for routes.
 *
 * @module
 */

/**
 * The name of an HTTP method. Editors suggest the standard methods; any other string is accepted and validated at
 * registration.
 */
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

/** The standard HTTP methods. Routes may use other methods too, and `Any` registers a route for those as well. */
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
