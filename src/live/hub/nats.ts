/**
 * A NATS JetStream backplane. It shares topics and rooms between machines.
 *
 * The application opens the connection, and closes it after the hub. It should reconnect without a limit, because the
 * client gives up after ten attempts otherwise.
 *
 * @example Share rooms between machines
 * ```ts ignore
 * import { connect } from "npm:@nats-io/transport-node@^3";
 * import * as live from "@fw/web/live";
 * import * as nats from "@fw/web/live/nats";
 * import * as websocket from "@fw/web/websocket";
 *
 * const connection = await connect({ servers: "10.0.0.5:4222", maxReconnectAttempts: -1, pingInterval: 2_000 });
 * const hub = live.New({ Backplane: nats.New(connection) });
 * const server = websocket.New({ Hub: hub });
 * ```
 *
 * @module
 */
import { markBounded } from "./unavailable.ts";
import { milliseconds, text, timeLimit } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Backplane } from "./backplane.ts";
import { type Connection, NatsConnection } from "./nats_connection.ts";
import { NatsLog } from "./nats_log.ts";
import { NatsTable } from "./nats_table.ts";

export type { Connection } from "./nats_connection.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The name of the stream and the first token of all subjects. A second stream has the same name with the suffix
   * `_state`. The backplane creates both streams.
   *
   * @default {"fw_live"}
   */
  Name?: string;
  /**
   * The maximum time for which messages are stored, in milliseconds. A channel that receives no messages for this time
   * loses its numbering.
   *
   * @default {86400000}
   */
  MaxAge?: number;
  /**
   * The time limit for each request, in milliseconds.
   *
   * @default {1000}
   */
  Timeout?: number;
}

const optionsTable = optionTable<Options>("live/nats.Options", "the NATS backplane")({
  Name: text("fw_live"),
  MaxAge: milliseconds(86_400_000, { isPositive: true }),
  Timeout: timeLimit(1_000),
});

/**
 * Creates a NATS backplane. The server must have JetStream enabled. While NATS is unavailable, connections stay open
 * and publishing fails. Missed messages are read when NATS is available again.
 *
 * In a NATS cluster, a single server stores the messages.
 *
 * @param connection The connection, or a promise for it if the application starts before NATS does.
 * @param options The options.
 * @returns The backplane. The hub closes it, but not the connection.
 * @throws {FrameworkError} If the connection lacks a method or an option is invalid.
 */
export function New(connection: Connection | Promise<Connection>, options: Options = {}): Backplane {
  const { Name, MaxAge, Timeout } = readOptions(optionsTable, options);
  if (!/^[\w-]{1,64}$/.test(Name)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the stream name "${Name}": it must consist of letters, digits, _ and -`,
    );
  }
  const shared = new NatsConnection(connection, Timeout, () => log.missed());
  const table = new NatsTable(shared, Name);
  const log = new NatsLog(shared, table, Name, MaxAge);
  return markBounded({
    IsLossless: false,
    Publish: (channel, payload, retention) => log.publish(channel, payload, retention),
    Read: (channel, after, limit, epoch) => log.read(channel, after, limit, epoch),
    Listen: (channel, listener) => log.listen(channel, listener),
    Unlisten: (channel) => log.unlisten(channel),
    Renew: (node, lifetime) => table.renew(node, lifetime),
    Put: (name, node, field, value) => table.put(name, [node, field, value]),
    Rows: (name) => table.rows(name),
    Claim: (key, value, lifetime) => table.claim(key, value, lifetime),
    Settle: (key, value, lifetime) => table.settle(key, value, lifetime),
    Close: () => shared.close(),
  });
}
