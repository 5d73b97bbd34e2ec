/**
 * The connection of a tool's request.
 *
 * @module
 */

import type { OuterCall } from "../../exchange/peer/outer_call.ts";
import type { PassedConnection } from "../../exchange/peer/peer_address.ts";

/** The connection of the message, with the route that the call is bound to. */
export class ToolConnection implements PassedConnection {
  readonly #connection: PassedConnection | undefined;
  readonly outer: OuterCall;

  constructor(connection: PassedConnection | undefined, outer: OuterCall) {
    this.#connection = connection;
    this.outer = outer;
  }

  get remoteAddr(): Deno.Addr | undefined {
    return this.#connection?.remoteAddr;
  }

  get completed(): Promise<void> | undefined {
    return this.#connection?.completed;
  }
}
