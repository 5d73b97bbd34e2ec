/**
 * The address of the client.
 *
 * @module
 */

import { type AddressList, isAddress } from "../base/addresses.ts";
import type { AppRuntime } from "./app_runtime.ts";

/** What is known of the connection; `Deno.ServeHandlerInfo` has it all, a test may leave it out. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddr?: Deno.Addr;
  /** Settles when the response was sent, or could not be. */
  readonly completed?: Promise<void>;
}

/** What is known of who sends a request. */
export interface Sender {
  readonly runtime: AppRuntime;
  readonly request: Request;
  readonly connection: ConnectionInfo | undefined;
}

/** The client's address without port: the peer's, or what trusted proxies say it is. */
export function remoteAddr(sender: Sender): string {
  const { config, proxies } = sender.runtime;
  const peer = peerAddress(sender.connection);
  const headers = config.RemoteAddrHeaders;
  if (headers.length === 0 || !isFromProxy(sender)) return peer;
  for (const header of headers) {
    const client = forwardedClient(proxies, sender.request.headers.get(header));
    if (client !== undefined) return client;
  }
  return peer;
}

/** Reports whether a request comes from a configured proxy, whose forwarding headers may be trusted. */
export function isFromProxy(sender: Sender): boolean {
  const { runtime, connection } = sender;
  // What reaches a unix socket is on this machine: the proxy in front.
  return runtime.proxies.has(peerAddress(connection)) || connection?.remoteAddr?.transport === "unix";
}

function peerAddress(info: ConnectionInfo | undefined): string {
  const addr = info?.remoteAddr;
  return addr !== undefined && "hostname" in addr ? unmapped(addr.hostname) : "";
}

/** An IPv4 address as it is, also where a socket for both kinds of addresses writes it as an IPv6 one. */
function unmapped(address: string): string {
  return /^::ffff:\d/i.test(address) && address.includes(".") ? address.slice(7) : address;
}

/**
 * The last address in a forwarding list that is not a trusted proxy's: all before it could be made up. Where all are
 * trusted the client is one of them, the first.
 */
function forwardedClient(proxies: AddressList, list: string | null): string | undefined {
  const entries = list?.split(",").map(bareAddress) ?? [];
  for (const entry of entries.reverse()) {
    if (!isAddress(entry)) return undefined;
    if (!proxies.has(entry)) return entry;
  }
  return entries.at(-1);
}

function bareAddress(entry: string): string {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
}
