/**
 * One header of a request, read in passing.
 *
 * @module
 */

/** A request as it was received. */
export interface Received {
  readonly request: Request;
  /** The connection; a request in process has none. */
  readonly connection: unknown;
}

/** Kept, because looking up the name `Request` costs 0.1 µs. */
const requestPrototype: Request = Request.prototype;

/**
 * Reads a header without handing the headers out.
 *
 * Where a program has read `request.headers`, Deno responds by way of a promise and lists all headers first, for those who
 * read them later: 4.8 µs per request over a socket. Read from a copy of the request, which shares all that is behind it,
 * the header costs 0.8 µs and the request stays as it is. In process the headers are there already.
 *
 * @param received The request.
 * @param name The header's name in lower case.
 * @returns Its value, or `null` when it is absent.
 */
export function peekHeader({ request, connection }: Received, name: string): string | null {
  if (connection === undefined || !isPlatformRequest(request)) return request.headers.get(name);
  try {
    const copy = Object.assign(Object.create(requestPrototype), request) as Request;
    return copy.headers.get(name);
  } catch {
    // A platform that keeps the state of its requests elsewhere refuses to read it for another object.
    return request.headers.get(name);
  }
}

/** Reports whether no program has given the request other headers, in a class of its own or on the object. */
function isPlatformRequest(request: Request): boolean {
  return Object.getPrototypeOf(request) === requestPrototype && !Object.hasOwn(request, "headers");
}
