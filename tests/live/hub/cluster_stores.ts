/**
 * The servers that several processes can share, for the cluster tests and the cluster benchmark.
 *
 * @module
 */

import type { Backplane } from "../../../src/live/hub/backplane.ts";
import * as redis from "../../../src/live/hub/redis.ts";
import { withClient } from "../../state/redis/clients.ts";
import { withNats } from "./nats_clients.ts";
import { hasNats, OwnNats } from "./own_nats.ts";
import { hasRedis, OwnRedis } from "./own_redis.ts";

/** A server for one test, which can be stopped and restarted. */
export interface OwnServer {
  readonly url: string;
  start(): Promise<unknown>;
  signal(name: Deno.Signal): void;
  suspend(): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** The options of a server. */
export interface StoreOptions {
  /** Whether the server keeps its data after a restart. */
  readonly isDurable?: boolean;
}

/** The options of a backplane that all servers support. */
export interface Shared {
  readonly url: string;
  /** The name that separates this test's data from other data. */
  readonly name: string;
  readonly Timeout?: number;
}

/** A server and its backplane. */
export interface ClusterStore {
  readonly name: string;
  readonly isInstalled: boolean;
  open(options?: StoreOptions): OwnServer;
  backplane(shared: Shared): Backplane;
}

/** The default timeout. It is long, because a server may be slow on a busy machine. */
const patience = 10_000;

/** The servers by the name that the benchmark and the processes use. */
export const clusterStores: Readonly<Record<"redis" | "nats", ClusterStore>> = {
  redis: {
    name: "Redis",
    isInstalled: hasRedis,
    open: (options) => new OwnRedis(options),
    backplane: ({ url, name, Timeout = patience }) =>
      withClient(url, (client) => redis.New(client, { Prefix: `${name}:`, Timeout })),
  },
  nats: {
    name: "NATS",
    isInstalled: hasNats,
    open: (options) => new OwnNats(options),
    backplane: ({ url, name, Timeout = patience }) => withNats(url, { Name: name, Timeout }),
  },
};

/** The name of a server. */
export type StoreName = keyof typeof clusterStores;
