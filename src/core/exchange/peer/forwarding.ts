/**
 * Forwarding headers. Proxies use them to report the client's address, scheme and host.
 *
 * Every proxy adds an entry, and a client may send forged entries before those. Therefore, only one entry is used: the
 * last one that was not sent by a trusted proxy.
 *
 * @module
 */

import { type AddressList, isAddress } from "../../../base/text/addresses.ts";
import { readForwarded } from "../../../http/headers/forwarded.ts";
import { peerAddress, type Sender } from "./peer_address.ts";

/** Reports whether a request comes from a configured proxy whose forwarding headers can be trusted. */
export function isFromProxy(sender: Sender): boolean {
  const { runtime, connection } = sender;
  // Only local processes, such as a reverse proxy, can connect to a Unix socket.
  return runtime.proxies.has(peerAddress(connection)) || connection?.remoteAddr?.transport === "unix";
}

/** Returns the client address from a forwarding header, or `undefined` if the header does not contain it. */
export function forwardedClient(proxies: AddressList, header: string, text: string): string | undefined {
  const senders = sendersIn(header, text);
  return senders[clientHop(proxies, senders)];
}

/**
 * Returns a property of the client's request from the first header that contains it.
 *
 * @param sender The request, which comes from a trusted proxy.
 * @param headers The headers to read, in order.
 * @param fact The property to read. Only the `Forwarded` header contains more than one.
 */
export function forwardedFact(
  sender: Sender,
  headers: readonly string[],
  fact: "proto" | "host",
): string | undefined {
  for (const header of headers) {
    const text = sender.request.headers.get(header);
    if (text === null) continue;
    const value = isStandard(header) ? standardFact(sender, text, fact) : listedFact(sender, text);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

function standardFact(sender: Sender, text: string, fact: "proto" | "host"): string | undefined {
  const hops = readForwarded(text);
  const senders = hops.map((hop) => bareAddress(hop.for));
  return hops[clientHop(sender.runtime.proxies, senders)]?.[fact];
}

/**
 * Returns the list entry for the client's hop if the list of senders has the same length. Otherwise, returns the entry
 * that the nearest proxy added.
 */
function listedFact(sender: Sender, text: string): string | undefined {
  const values = text.split(",").map((value) => value.trim());
  if (values.length === 1) return values[0];
  const header = sender.runtime.config.RemoteAddrHeaders[0];
  const list = header === undefined ? null : sender.request.headers.get(header);
  const senders = header === undefined || list === null ? [] : sendersIn(header, list);
  const hop = senders.length === values.length ? clientHop(sender.runtime.proxies, senders) : -1;
  return hop < 0 ? values.at(-1) : values[hop];
}

/**
 * Returns the index of the last sender that is not a trusted proxy. All entries before it could be forged. If all
 * senders are trusted, the client is the first one. Returns -1 if one of the entries is not an IP address.
 */
function clientHop(proxies: AddressList, senders: readonly string[]): number {
  for (let at = senders.length - 1; at >= 0; at--) {
    const sender = senders[at] ?? "";
    if (!isAddress(sender)) return -1;
    if (!proxies.has(sender)) return at;
  }
  return senders.length === 0 ? -1 : 0;
}

function sendersIn(header: string, text: string): string[] {
  const entries = isStandard(header) ? readForwarded(text).map((hop) => hop.for) : text.split(",");
  return entries.map(bareAddress);
}

function isStandard(header: string): boolean {
  return header.length === 9 && header.toLowerCase() === "forwarded";
}

function bareAddress(entry: string): string {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
}
