/**
 * A NATS JetStream backplane. It shares topics and rooms between machines.
 *
 * @example Share rooms between machines
 * ```ts ignore
 * import * as live from "@fw/web/live";
 * import * as nats from "@fw/web/live/nats";
 * import * as websocket from "@fw/web/websocket";
 *
 * const hub = live.New({ Backplane: nats.New({ URL: "nats://10.0.0.5:4222" }) });
 * const server = websocket.New({ Hub: hub });
 * ```
 *
 * @module
 */
import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { Backplane } from "./backplane.ts";
import { NatsConnection } from "./nats_connection.ts";
import { NatsLog } from "./nats_log.ts";
import { NatsTable } from "./nats_table.ts";

/** Options for {@linkcode New}. */
export interface Config {
  /** The server's URL: `nats://[user:password@]host[:port]`, `nats://token@host[:port]`, or `tls://` for TLS. */
  URL: string;
  /** The content of a credentials file, for servers that authenticate users by NKey and JWT. */
  Credentials?: string;
  /**
   * The name of the stream, and the first token of all subjects. A second stream has the suffix `_state`. The backplane
   * creates both streams.
   *
   * @default {"fw_live"}
   */
  Name?: string;
  /**
   * The maximum time to store messages, in milliseconds. A channel without messages for this time loses its numbering.
   *
   * @default {86400000}
   */
  MaxAge?: number;
  /**
   * The timeout for connecting and for each request, in milliseconds.
   *
   * @default {1000}
   */
  Timeout?: number;
}

const optionRules: OptionRules<Config> = {
  URL: "string",
  Credentials: "string",
  Name: "string",
  MaxAge: "number",
  Timeout: "number",
};

/**
 * Creates a NATS backplane. The server must have JetStream enabled. While NATS is unavailable, connections stay open
 * and publishing fails. Missed messages are read when NATS is available again.
 *
 * In a NATS cluster, a single server stores the messages. The connection keeps the process alive until the hub is
 * closed, so call `hub.Close()` after `app.Run()`.
 *
 * @param config The server and its options.
 * @returns The backplane. The hub closes it.
 */
export function New(config: Config): Backplane {
  checkOptions("the NATS backplane", config, optionRules);
  const { Name = "fw_live", MaxAge = 86_400_000 } = config;
  if (!/^[\w-]{1,64}$/.test(Name)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the stream name "${Name}": it must consist of letters, digits, _ and -`,
    );
  }
  const connection = new NatsConnection(config, () => log.missed());
  const table = new NatsTable(connection, Name);
  const log = new NatsLog(connection, table, Name, MaxAge);
  return {
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
    Close: () => connection.close(),
  };
}
