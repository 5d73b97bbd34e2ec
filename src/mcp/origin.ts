/**
 * Whose pages may send requests.
 *
 * @module
 */

/**
 * Reports whether a request may come from its origin. A page whose name an attacker points to a loopback address after
 * it was loaded (DNS rebinding) has that name as its origin and as its host, so that comparing the two proves nothing.
 *
 * @param request The request.
 * @param allowed The origins of the options.
 * @returns True without an `Origin` header, which browsers do not omit.
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
