/**
 * The scheme that the client uses, which links that lead back here begin with.
 *
 * @module
 */

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
  const headers = sender.runtime.config.SchemeProxyHeaders;
  const named = headers.length > 0 && isFromProxy(sender) ? forwardedFact(sender, headers, "proto") : undefined;
  const known = named === undefined ? undefined : schemes[named.toLowerCase()];
  if (known !== undefined) return known;
  // A client may write any scheme into its request line: "GET https://x/ HTTP/1.1" comes over plain TCP as well.
  const isSecure = !sender.runtime.isPlain && sender.request.url.startsWith("https:") && !isClaimed(sender.request);
  return isSecure ? "https" : "http";
}

/** An absolute URL, as the client would write it; a relative reference starts at the URL of the request. */
export function absoluteURI(sender: Sender, reference: string): string {
  const url = sender.request.url;
  const slash = url.indexOf("/", url.indexOf("://") + 3);
  const rest = slash < 0 ? "/" : url.slice(slash);
  const host = requestHost(sender) || "localhost";
  return new URL(reference, `${requestScheme(sender)}://${host}${rest}`).href;
}
