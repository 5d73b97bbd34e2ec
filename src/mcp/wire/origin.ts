/**
 * Checks the origin of requests.
 *
 * @module
 */

/**
 * Reports whether the origin of a request is allowed. In a DNS rebinding attack, a page's host name is changed to a
 * loopback address after the page has loaded. `Origin` and `Host` are then the same, so comparing them is not
 * sufficient.
 *
 * @param request The request.
 * @param allowed The allowed origins.
 * @returns Whether the origin is allowed. Always `true` if there is no `Origin` header, because browsers always send
 * it.
 */
export function isOriginAllowed(request: Request, allowed: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const host = request.headers.get("host");
  const own = host !== null && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : new URL(request.url);
  return isLoopback(new URL(origin).hostname) && isLoopback(own.hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
