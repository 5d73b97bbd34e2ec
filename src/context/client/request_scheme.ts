/**
 * The scheme that the client uses, which links that lead back here begin with.
 *
 * @module
 */

import { HTTPError } from "../../base/errors.ts";
import { encodedPath, type PathPlace, searchOf } from "../../http/request_url.ts";
import { forwardedFact, isFromProxy } from "./forwarding.ts";
import type { Sender } from "./peer_address.ts";
import { isClaimed } from "./plain_requests.ts";
import { requestHost } from "./request_host.ts";

const schemes: Readonly<Record<string, "http" | "https">> = Object.assign(Object.create(null), {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
});

/** The scheme that the client uses: that of the connection, or what trusted proxies say it is. */
export function requestScheme(sender: Sender): "http" | "https" {
  return sender.scheme ??= findScheme(sender);
}

function findScheme(sender: Sender): "http" | "https" {
  const headers = sender.runtime.config.SchemeProxyHeaders;
  const named = headers.length > 0 && isFromProxy(sender) ? forwardedFact(sender, headers, "proto") : undefined;
  const known = named === undefined ? undefined : schemes[named.toLowerCase()];
  if (known !== undefined) return known;
  // A client may write any scheme into its request line: "GET https://x/ HTTP/1.1" comes over plain TCP as well.
  const isSecure = !sender.runtime.isPlain && sender.url.startsWith("https:") && !isClaimed(sender.request);
  return isSecure ? "https" : "http";
}

/** The scheme and the host of the URL that the client asked for. */
export function requestOrigin(sender: Sender): string {
  return `${requestScheme(sender)}://${requestHost(sender) || "localhost"}`;
}

/**
 * An absolute URL, as the client would write it; a relative reference starts at the URL of the request. Without the
 * check of the `Host` header a client may name a host that no URL can carry.
 */
export function absoluteURI(target: Sender & PathPlace, reference: string): string {
  const base = `${requestOrigin(target)}${encodedPath(target)}${searchOf(target)}`;
  if (!URL.canParse(base)) throw new HTTPError(400, "Cannot build a URL: the Host header is malformed");
  return new URL(reference, base).href;
}
