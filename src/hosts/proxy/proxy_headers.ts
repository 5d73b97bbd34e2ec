/**
 * The headers of proxied requests and responses.
 *
 * @module
 */

import type { RequestTarget } from "../../core/exchange/request_target.ts";
import { peerAddress } from "../../core/exchange/peer/peer_address.ts";
import { remoteAddr } from "../../core/exchange/peer/remote_addr.ts";
import { requestHost } from "../../core/exchange/peer/request_host.ts";
import { requestScheme } from "../../core/exchange/peer/request_scheme.ts";

/** The headers that belong to one connection (RFC 9110, section 7.6.1). */
const perConnection: readonly string[] = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The headers that the proxy or the platform sets, or that only a proxy may set. */
const owned: readonly string[] = [
  "content-length",
  "expect",
  "forwarded",
  "host",
  // CGI programs read it as the environment variable HTTP_PROXY.
  "proxy",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  // Some servers read the path from these.
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url",
];

const removed: ReadonlySet<string> = new Set([...perConnection, ...owned]);
const removedFromResponses: ReadonlySet<string> = new Set(perConnection);

/**
 * Headers whose names do not distinguish underscores from hyphens, as for many servers. A header that is set or deleted
 * as `x-user` replaces or deletes the client's `x_user`, which the upstream server could take for it.
 */
class UpstreamHeaders extends Headers {
  override set(name: string, value: string): void {
    this.delete(name);
    super.set(name, value);
  }

  override append(name: string, value: string): void {
    for (const other of this.#spellings(name)) if (other !== name.toLowerCase()) super.delete(other);
    super.append(name, value);
  }

  override delete(name: string): void {
    for (const each of this.#spellings(name)) super.delete(each);
  }

  #spellings(name: string): string[] {
    const plain = plainName(name);
    return [...this.keys()].filter((each) => plainName(each) === plain);
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Returns the headers for the upstream server. Forwarding headers of the client are replaced, unless it is a trusted
 * proxy, whose information this application has already taken over.
 *
 * @param target The request.
 * @param prefix The public path that corresponds to the path of the upstream server.
 */
export function upstreamHeaders(target: RequestTarget, prefix: string): Headers {
  const sent = target.request.headers;
  const named = listed(sent);
  const headers = new UpstreamHeaders();
  for (const [name, value] of sent) {
    const known = plainName(name);
    const isSecond = known !== name && sent.has(known);
    if (!removed.has(known) && !named.has(known) && !isSecond) headers.append(name, value);
  }
  const [client, peer] = [remoteAddr(target), peerAddress(target.connection)];
  const senders = [...new Set([client, peer])].filter((address) => address !== "");
  if (senders.length > 0) headers.set("x-forwarded-for", senders.join(", "));
  headers.set("x-forwarded-proto", requestScheme(target));
  headers.set("x-forwarded-host", requestHost(target));
  if (prefix !== "") headers.set("x-forwarded-prefix", prefix);
  // Otherwise, the platform would decompress responses, without changing their headers.
  headers.set("accept-encoding", "identity");
  if (!headers.has("user-agent")) headers.set("user-agent", "");
  return headers;
}

/** Returns the headers of a response of the upstream server for the client. */
export function downstreamHeaders(received: Headers): Headers {
  const named = listed(received);
  const headers = new Headers();
  for (const [name, value] of received) {
    if (!removedFromResponses.has(name) && !named.has(name)) headers.append(name, value);
  }
  return headers;
}

/** Returns the headers that a `Connection` header names. They belong to the connection as well. */
function listed(headers: Headers): ReadonlySet<string> {
  const names = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return new Set(names.map((name) => plainName(name.trim())));
}
