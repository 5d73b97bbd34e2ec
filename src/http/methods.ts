/**
 * The HTTP methods that routes are registered for.
 *
 * @module
 */

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
