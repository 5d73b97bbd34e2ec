/**
 * The remote end of a request's connection.
 *
 * @module
 */

import type { Configuration } from "../../../base/config/config.ts";
import type { RunningApplication } from "../../../base/config/running_application.ts";
import type { AddressList } from "../../../base/text/addresses.ts";
import type { OuterCall } from "./outer_call.ts";

/** Information about a connection. `Deno.ServeHandlerInfo` provides all of it; tests may omit it. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddr?: Deno.Addr | undefined;
  /** Settles when the response has been sent or sending has failed. */
  readonly completed?: Promise<void> | undefined;
}

/** Information about a connection, and about the call that made the request, if it was made inside the process. */
export interface PassedConnection extends ConnectionInfo {
  readonly outer?: OuterCall | undefined;
}

/** The application settings that determine which forwarding headers to trust. */
export interface TrustSettings {
  readonly config: Readonly<Configuration>;
  /** The addresses of trusted proxies. */
  readonly proxies: AddressList;
  readonly host: Pick<RunningApplication, "Logger">;
  /** The configured base path, URL-encoded and without a trailing slash. Usually empty. */
  readonly basePath: string;
  /** Whether no server of the application uses TLS. Otherwise, the scheme is taken from the URL. */
  readonly isCleartext: boolean;
}

/** Information about the sender of a request. */
export interface Sender {
  readonly runtime: TrustSettings;
  readonly request: Request;
  readonly connection: ConnectionInfo | undefined;
  /** The record of the call that has passed on the request inside the process, if there is one. */
  readonly outer: OuterCall | undefined;
  /** The effective URL. */
  readonly url: string;
  /** The facts about the client, or `undefined` if none has been determined yet. */
  peer: PeerFacts | undefined;
}

/** The facts about the client of a request, each determined on first use. Most requests need none of them. */
interface PeerFacts {
  base?: string;
  host?: string;
  scheme?: "http" | "https";
  address?: string;
}

/** Returns the facts about the client of a request. */
export function peerOf(sender: Pick<Sender, "peer">): PeerFacts {
  return sender.peer ??= {};
}

/** Returns the peer's address without the port, or an empty string if the connection has no address. */
export function peerAddress(info: ConnectionInfo | undefined): string {
  const addr = info?.remoteAddr;
  return addr !== undefined && "hostname" in addr ? unmapped(addr.hostname) : "";
}

/** Converts an IPv4-mapped IPv6 address, as dual-stack sockets report it, to an IPv4 address. */
function unmapped(address: string): string {
  return /^::ffff:\d/i.test(address) && address.includes(".") ? address.slice(7) : address;
}
