/**
 * Tracks requests on plain listeners whose request line claims another scheme. `GET https://x/ HTTP/1.1` can be sent
 * over plain TCP too.
 *
 * @module
 */

const claimed = new WeakSet<Request>();

/** Records that a request arrived on a plain listener. */
export function notePlain(request: Request): void {
  if (request.url.startsWith("https:")) claimed.add(request);
}

/** Reports whether a request arrived on a plain listener although its URL claims otherwise. */
export function isClaimed(request: Request): boolean {
  return claimed.has(request);
}
