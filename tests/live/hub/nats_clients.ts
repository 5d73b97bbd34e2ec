/**
 * NATS connections for the tests. An application opens and closes its connections in the same way.
 *
 * @module
 */

import type { ConnectionOptions } from "npm:@nats-io/nats-core@^3";
import type { Backplane } from "../../../src/live/hub/backplane.ts";
import * as nats from "../../../src/live/hub/nats.ts";
import { connect } from "./nats_transport.ts";

/** Options that reconnect quickly, and without a limit. */
const patient: ConnectionOptions = {
  reconnectTimeWait: 50,
  reconnectJitter: 200,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  noAsyncTraces: true,
  resolve: false,
  pingInterval: 2_000,
};

/**
 * Opens a backplane with a separate connection. Closing it also closes the connection.
 *
 * @param url The URL of the server.
 * @param options The options of the backplane.
 * @param own Further options of the connection.
 */
export function withNats(url: string, options: nats.Options = {}, own: ConnectionOptions = {}): Backplane {
  const connection = connect({ ...patient, servers: url.replace(/^\w+:\/\//, ""), ...own });
  const backplane = nats.New(connection, options);
  const close = backplane.Close.bind(backplane);
  backplane.Close = async () => {
    await close();
    await connection.then((each) => each.close(), () => {});
  };
  return backplane;
}
