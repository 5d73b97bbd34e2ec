/**
 * The platform's request, handed to code outside of fw.
 *
 * @module
 */

import type { ConnectionInfo } from "./client/peer_address.ts";
import type { Exchange } from "./exchange.ts";

/** The request, with its body counted where its size is limited. */
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
 * A connection whose address was read. An upgrade, which only code that has the request can do, closes the request: the
 * platform then throws where a logger asks for the address.
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
