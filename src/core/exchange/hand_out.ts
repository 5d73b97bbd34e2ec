/**
 * Gives code outside fw access to the native request.
 *
 * @module
 */

import type { Exchange } from "./exchange.ts";
import type { ConnectionInfo } from "./peer/peer_address.ts";

/** Returns the request. If the body size is limited, the limit also applies when the caller reads the body. */
export function handOut<C>(exchange: Exchange<C>): Request {
  const { connection, method, route } = exchange;
  route.readsHeaders = true;
  route.isHandedOut = true;
  const mayUpgrade = method === "GET" || method === "CONNECT";
  if (mayUpgrade && connection !== undefined && !(connection instanceof KeptConnection)) {
    exchange.target.connection = new KeptConnection(connection);
  }
  return exchange.body?.handOut() ?? exchange.request;
}

/**
 * A connection whose address was read in advance. The caller can upgrade the request, which closes it, and reading the
 * address after that would throw, for example in a logger.
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
