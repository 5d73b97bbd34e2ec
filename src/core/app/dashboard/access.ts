/**
 * Limits the development pages to programs on this machine, and to those that have the token of the log.
 *
 * @module
 */

import type { ConnectionInfo } from "../../exchange/peer/peer_address.ts";

/** The name of the cookie and the parameter that contain the token. */
const NAME = "fw_development";

/** The token of this process. */
const token: string = crypto.getRandomValues(new Uint8Array(18)).toBase64({ alphabet: "base64url" });

/** Returns the response that refuses a request or stores its token, or `undefined` if the request may continue. */
export function refusal(request: Request, connection: ConnectionInfo | undefined): Response | undefined {
  const url = new URL(request.url);
  if (!isOwnSite(request)) return refused("The request comes from another site");
  if (sameText(url.searchParams.get(NAME) ?? "", token)) {
    url.searchParams.delete(NAME);
    return new Response(null, {
      status: 303,
      headers: {
        location: url.pathname + url.search,
        "set-cookie": `${NAME}=${token}; HttpOnly; SameSite=Strict; Path=/`,
      },
    });
  }
  if (isLocal(request, url, connection) || sameText(cookieOf(request), token)) return undefined;
  return refused("Open the address that the log shows, which contains a token");
}

/** Reports whether a form was sent by one of the pages. */
export function isOwnForm(form: FormData): boolean {
  return sameText(String(form.get(NAME) ?? ""), token);
}

/** Returns the hidden field of a form. */
export function tokenField(): string {
  return `<input type="hidden" name="${NAME}" value="${token}">`;
}

/** Returns the query of the address that contains the token. */
export function tokenQuery(): string {
  return `?${NAME}=${token}`;
}

/** Pages of other sites may link to a page, but must neither read nor change anything. */
function isOwnSite(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  const isPage = request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate" &&
    request.headers.get("sec-fetch-dest") === "document";
  if (site !== null && site !== "same-origin" && site !== "none" && !isPage) return false;
  const origin = request.headers.get("origin");
  // A proxy may have received the request over HTTPS.
  return origin === null || (URL.canParse(origin) && new URL(origin).host === new URL(request.url).host);
}

/** Reports whether a request comes from this machine. One through a proxy does not, although the proxy may. */
function isLocal(request: Request, url: URL, connection: ConnectionInfo | undefined): boolean {
  for (const header of ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]) {
    if (request.headers.has(header)) return false;
  }
  const address = connection?.remoteAddr;
  const peer = address !== undefined && "hostname" in address ? address.hostname : "127.0.0.1";
  return isLoopback(peer) && isLoopback(url.hostname);
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|(?:.*\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(?:\.\d{1,3}){3}\]?)$/.test(host);
}

function cookieOf(request: Request): string {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) ?? "";
}

/** Compares strings in a time that does not depend on their content. */
function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

function refused(reason: string): Response {
  return new Response(`The development pages are not open to this request: ${reason}.\n`, { status: 403 });
}
