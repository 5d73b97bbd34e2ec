/**
 * The part of a Redis client that receives published messages.
 *
 * A subscription needs a separate connection. Clusters and sentinels open it themselves. For other clients, fw
 * duplicates the application's client, and closes the duplicate.
 *
 * @module
 */
import type { Client, Driver } from "./client.ts";

/** The initial and the maximum delay before reconnecting, in milliseconds. */
const PAUSE_MS = 50;
const PAUSE_MOST_MS = 1_000;
/** The interval for pinging a silent connection, in milliseconds. */
const PING_MS = 2_000;

/** Receives the messages of a channel. */
export type Receive = (text: string) => void;

/** The members that are used here. Not every kind of client has all of them. */
interface Members {
  readonly options?: { readonly socket?: object };
  connect(): Promise<unknown>;
  duplicate(...overrides: unknown[]): Members;
  subscribe(channel: string, receive?: Receive): Promise<unknown>;
  unsubscribe(channel: string, receive?: Receive): Promise<unknown>;
  destroy(): void;
  disconnect(): void;
  unref?(): void;
  on(event: string, listener: (...args: string[]) => void): unknown;
  removeListener(event: string, listener: (...args: string[]) => void): unknown;
}

/** Subscriptions of one client. */
export interface ChannelClient {
  /** Starts to connect. */
  connect(): Promise<unknown>;
  subscribe(channel: string, receive: Receive): Promise<unknown>;
  unsubscribe(channel: string, receive: Receive): Promise<unknown>;
  /** Closes the connection if fw has opened it. */
  close(): void;
}

/** The events of all kinds of clients after which messages may be missing. */
const losses = [
  ...["error", "reconnecting", "end", "close"],
  ...["node-error", "node-reconnecting", "node-disconnect", "client-error", "topology-change"],
];

/**
 * Opens the subscriptions of a client.
 *
 * @param driver The kind of client.
 * @param client The application's client.
 * @param lost Called if messages may have been missed.
 */
export function openChannels(driver: Driver, client: Client, lost: () => void): ChannelClient {
  const given = client as unknown as Members;
  const open = { cluster: openGiven, sentinel: openGiven, single: openDuplicate, ioredis: openIORedis }[driver.name];
  return open(given, lost);
}

/** Uses the client itself, which manages a separate connection for subscriptions. */
function openGiven(client: Members, lost: () => void): ChannelClient {
  for (const event of losses) client.on(event, lost);
  return {
    connect: () => Promise.resolve(),
    subscribe: (channel, receive) => client.subscribe(channel, receive),
    unsubscribe: (channel, receive) => client.unsubscribe(channel, receive),
    close() {
      for (const event of losses) client.removeListener(event, lost);
    },
  };
}

function openDuplicate(client: Members, lost: () => void): ChannelClient {
  const own = client.duplicate({
    pingInterval: PING_MS,
    disableOfflineQueue: false,
    socket: {
      ...client.options?.socket,
      // If the network fails silently, the connection to Redis stays open without any traffic.
      socketTimeout: PING_MS * 2,
      reconnectStrategy: pauseAfter,
    },
  });
  for (const event of losses) own.on(event, lost);
  own.on("ready", () => own.unref?.());
  return {
    connect: () => own.connect(),
    subscribe: (channel, receive) => own.subscribe(channel, receive),
    unsubscribe: (channel, receive) => own.unsubscribe(channel, receive),
    close: () => own.destroy(),
  };
}

function openIORedis(client: Members, lost: () => void): ChannelClient {
  const options = { keyPrefix: "", enableOfflineQueue: true, lazyConnect: false, maxRetriesPerRequest: null };
  const retry = { autoResubscribe: true, retryStrategy: pauseAfter };
  const overrides = { ...options, ...retry };
  const own = client.duplicate(overrides);
  const receivers = new Map<string, Receive>();
  for (const event of losses) own.on(event, lost);
  own.on("message", (channel = "", text = "") => receivers.get(channel)?.(text));
  return {
    // This client connects by itself.
    connect: () => Promise.resolve(),
    async subscribe(channel, receive) {
      receivers.set(channel, receive);
      await own.subscribe(channel);
    },
    async unsubscribe(channel, receive) {
      if (receivers.get(channel) !== receive) return;
      receivers.delete(channel);
      await own.unsubscribe(channel);
    },
    close: () => own.disconnect(),
  };
}

function pauseAfter(retries: number): number {
  return Math.min(PAUSE_MS * 2 ** retries, PAUSE_MOST_MS);
}
