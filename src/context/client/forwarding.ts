/**
 * What proxies say of a request: who sent it, by which scheme, for which host.
 *
 * Every hop of the way adds an entry, and a client may send entries of its own in front. So only the entry counts that
 * the nearest trusted proxies vouch for: the last one whose sender is not such a proxy itself.
 *
 * @module
 */

import { type AddressList, isAddress } from "../../base/addresses.ts";
import { readForwarded } from "../../http/forwarded.ts";
import { peerAddress, type Sender } from "./peer_address.ts";

/** Reports whether a request comes from a configured proxy, whose forwarding headers may be trusted. */
export function isFromProxy(sender: Sender): boolean {
  const { runtime, connection } = sender;
  // What reaches a unix socket is on this machine: the proxy in front.
  return runtime.proxies.has(peerAddress(connection)) || connection?.remoteAddr?.transport === "unix";
}

/** The address of the client by one header, or nothing when the header does not tell it. */
export function forwardedClient(proxies: AddressList, header: string, text: string): string | undefined {
  const senders = sendersIn(header, text);
  return senders[clientHop(proxies, senders)];
}

/**
 * A fact about the client's request by the first of some headers that tells it.
 *
 * @param sender The request, which comes from a trusted proxy.
 * @param headers The headers to ask, in their order.
 * @param fact What is asked for; only the header `Forwarded` carries several.
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

/** Of a list, the entry of the client's hop where the list of senders is as long, else what the nearest proxy wrote. */
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
 * The index of the last sender that is not a trusted proxy: all before it could be made up. Where all are trusted the
 * client is one of them, the first. -1 when an entry on the way there is not an address.
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
