/**
 * The scheme that the client uses, for links back to this server.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";
import { type PathPlace, publicPath, type RemovedPath, searchOf, underPrefix } from "../../http/request_url.ts";
import { forwardedFact, isFromProxy } from "./forwarding.ts";
import type { Sender } from "./peer_address.ts";
import { claimsTLS } from "./plain_requests.ts";
import { requestHost } from "./request_host.ts";

const schemes: Readonly<Record<string, "http" | "https">> = Object.assign(Object.create(null), {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
});

/** Returns the scheme that the client uses: the connection's scheme, or the scheme that trusted proxies report. */
export function requestScheme(sender: Sender): "http" | "https" {
  return sender.scheme ??= findScheme(sender);
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

/**
 * Returns an absolute URL for the client. A relative reference is resolved against the request URL. If the `Host`
 * header check is disabled, a client may send a host that is not valid in a URL.
 */
export function absoluteURI(target: Sender & PathPlace & RemovedPath, reference: string): string {
  const base = `${requestOrigin(target)}${publicPath(target)}${searchOf(target)}`;
  if (!URL.canParse(base)) throw new HTTPError(400, "Cannot build a URL: the Host header is malformed");
  return new URL(underPrefix(target.prefix, reference), base).href;
}
