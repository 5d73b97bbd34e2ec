/**
 * Hands out the native request to code outside fw.
 *
 * @module
 */

import type { ConnectionInfo } from "./peer/peer_address.ts";
import type { Exchange } from "./exchange.ts";

/** Returns the request. If the body size is limited, the limit also applies to reads by the caller. */
export function handOut<C>(exchange: Exchange<C>): Request {
  const { connection, method, route } = exchange;
  route.readsHeaders = true;
  const mayUpgrade = method === "GET" || method === "CONNECT";
  if (mayUpgrade && connection !== undefined && !(connection instanceof KeptConnection)) {
    exchange.target.connection = new KeptConnection(connection);
  }
  return exchange.body?.handOut() ?? exchange.request;
}

/**
 * A connection whose address has been read in advance. Only code that has the request can upgrade it, and an upgrade
 * closes the request: reading the address later, for example in a logger, would throw.
 */
class KeptConnection implements ConnectionInfo {
  readonly remoteAddr: Deno.Addr | undefined;
  readonly #connection: ConnectionInfo;

  constructor(connection: ConnectionInfo) {
    this.remoteAddr = connection.remoteAddr;
    this.#connection = connection;
  }

  get completed(): Promise<void> | undefined {
    return this.#connection.completed;
  }
}
