/**
 * Tracks requests that were received without TLS but claim to use another scheme. For example, `GET https://x/
 * HTTP/1.1` can be sent over plain TCP.
 *
 * @module
 */

const claimed = new WeakSet<Request>();

/** Records that a request was received without TLS. */
export function notePlain(request: Request): void {
  if (request.url.startsWith("https:")) claimed.add(request);
}

/** Reports whether a request was received without TLS although its URL claims otherwise. */
export function claimsTLS(request: Request): boolean {
  return claimed.has(request);
}
