/**
 * The scheme that the client uses, for links back to this server.
 *
 * @module
 */

import { forwardedFact, isFromProxy } from "./forwarding.ts";
import { peerOf, type Sender } from "./peer_address.ts";
import { requestHost } from "./request_host.ts";

const claimed = new WeakSet<Request>();

/** Records that a request was received without TLS. */
export function notePlain(request: Request): void {
  if (request.url.startsWith("https:")) claimed.add(request);
}

/** Reports whether a request was received without TLS although its URL claims otherwise. */
export function claimsTLS(request: Request): boolean {
  return claimed.has(request);
}

const schemes: Readonly<Record<string, "http" | "https">> = Object.assign(Object.create(null), {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
});

/** Returns the scheme that the client uses: the connection's scheme, or the scheme that trusted proxies report. */
export function requestScheme(sender: Sender): "http" | "https" {
  return peerOf(sender).scheme ??= findScheme(sender);
}

function findScheme(sender: Sender): "http" | "https" {
  const headers = sender.runtime.config.SchemeProxyHeaders;
  const named = headers.length > 0 && isFromProxy(sender) ? forwardedFact(sender, headers, "proto") : undefined;
  const known = named === undefined ? undefined : schemes[named.toLowerCase()];
  if (known !== undefined) return known;
  // Clients can put any scheme in the request line: "GET https://x/ HTTP/1.1" can be sent over plain TCP too.
  const isSecure = !sender.runtime.isCleartext && sender.url.startsWith("https:") && !claimsTLS(sender.request);
  return isSecure ? "https" : "http";
}

/** Returns the scheme and host of the URL that the client requested. */
export function requestOrigin(sender: Sender): string {
  return `${requestScheme(sender)}://${requestHost(sender) || "localhost"}`;
}
