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

/** The usual methods. A route can have any other; what `Any` registers serves those too. */
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
