/**
 * Reads a single request header cheaply.
 *
 * @module
 */

/**
 * Reads a header without accessing the request's own `headers`.
 *
 * After a program has accessed `request.headers`, Deno responds through a promise and materializes all headers. That
 * costs 3.4 µs per request over a socket, and 4.3 µs with the seven headers that a browser sends. Reading from a
 * shallow copy, which shares the underlying request, costs 2 µs and leaves the request untouched.
 *
 * @param request A request received over a connection. The headers of an in-process request are already materialized.
 * @param name The header name in lower case.
 * @returns The header value, or `null` if the header is missing.
 */
export function peekHeader(request: Request, name: string): string | null {
  // A program may have replaced the request's headers. A copy would not contain the new ones.
  if (Object.hasOwn(request, "headers")) return request.headers.get(name);
  try {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(request)), request) as Request;
    return copy.headers.get(name);
  } catch {
    // An object with private fields throws if they are read through another object.
    return request.headers.get(name);
  }
}
