/**
 * Follows redirects like a browser.
 *
 * @module
 */

/** The maximum number of redirects to follow. */
const MAX_REDIRECTS = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A request that can be repeated. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: BodyInit | undefined;
}

/**
 * Sends a request and follows its redirects within the site, which includes subdomains. Redirects to other sites are
 * returned, because the application does not serve them.
 *
 * @param first The request.
 * @param send Sends a request.
 * @returns The last response.
 */
export async function follow(first: Hop, send: (hop: Hop) => Promise<Response>): Promise<Response> {
  let hop = first;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await send(hop);
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null || !isSameSite(first.url, new URL(location, hop.url))) return response;
    await response.body?.cancel().catch(() => {});
    hop = next(hop, response.status, new URL(location, hop.url));
  }
  throw new Error(`Cannot follow the redirects of ${first.url.pathname}: there are more than ${MAX_REDIRECTS}`);
}

function next(hop: Hop, status: number, url: URL): Hop {
  // The fragment is not sent.
  if (url.hash === "") url.hash = hop.url.hash;
  const headers = new Headers(hop.headers);
  if (url.host !== hop.url.host) headers.delete("authorization");
  const becomesGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!becomesGet) {
    if (hop.body instanceof ReadableStream) {
      throw new Error(`Cannot follow the redirect to ${url.pathname}: the body is a stream, which is sent once`);
    }
    return { ...hop, url, headers };
  }
  headers.delete("content-type");
  return { method: "GET", url, headers, body: undefined };
}

function isSameSite(one: URL, other: URL): boolean {
  if (!/^https?:$/.test(other.protocol)) return false;
  const [a, b] = [one.hostname, other.hostname];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
