/**
 * The other end of the connection that a request came by.
 *
 * @module
 */

import type { AppRuntime } from "../app_runtime.ts";

/** What is known of the connection; `Deno.ServeHandlerInfo` has it all, a test may leave it out. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddr?: Deno.Addr | undefined;
  /** Settles when the response was sent, or could not be. */
  readonly completed?: Promise<void> | undefined;
}

/** What is known of who sends a request. */
export interface Sender {
  readonly runtime: AppRuntime;
  readonly request: Request;
  readonly connection: ConnectionInfo | undefined;
  /** The URL that is meant. */
  readonly url: string;
  /** The host, once it is known. */
  host: string | undefined;
  /** The scheme, once it is known. */
  scheme: "http" | "https" | undefined;
  /** The client's address, once it is known. */
  address: string | undefined;
}

/** The peer's address without port; empty for a connection that has none. */
export function peerAddress(info: ConnectionInfo | undefined): string {
  const addr = info?.remoteAddr;
  return addr !== undefined && "hostname" in addr ? unmapped(addr.hostname) : "";
}

/** An IPv4 address as it is, also where a socket for both kinds of addresses writes it as an IPv6 one. */
function unmapped(address: string): string {
  return /^::ffff:\d/i.test(address) && address.includes(".") ? address.slice(7) : address;
}
