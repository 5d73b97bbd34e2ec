/**
 * Gives code outside fw access to the native request.
 *
 * @module
 */

import type { Exchange } from "./exchange.ts";
import type { PassedConnection } from "./peer/peer_address.ts";
import type { OuterCall } from "./peer/outer_call.ts";

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
class KeptConnection implements PassedConnection {
  readonly remoteAddr: Deno.Addr | undefined;
  readonly outer: OuterCall | undefined;
  readonly #connection: PassedConnection;

  constructor(connection: PassedConnection) {
    this.remoteAddr = connection.remoteAddr;
    this.outer = connection.outer;
    this.#connection = connection;
  }

  get completed(): Promise<void> | undefined {
    return this.#connection.completed;
  }
}
