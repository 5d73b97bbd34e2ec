/**
 * Requests of a plain listener whose request line claims another scheme: `GET https://x/ HTTP/1.1` comes over plain TCP
 * as well.
 *
 * @module
 */

const claimed = new WeakSet<Request>();

/** Notes that a request came over a plain listener. */
export function notePlain(request: Request): void {
  if (request.url.startsWith("https:")) claimed.add(request);
}

/** Reports whether a request came over a plain listener, though its URL says otherwise. */
export function isClaimed(request: Request): boolean {
  return claimed.has(request);
}
