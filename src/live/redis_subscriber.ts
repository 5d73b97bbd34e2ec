/**
 * The Redis connection that receives published messages. Redis requires a separate connection for subscriptions.
 *
 * @module
 */
import { createClient } from "npm:@redis/client@^5";
import { TimeLimit } from "../store/time_limit.ts";

/** The initial and the maximum delay before reconnecting, in milliseconds. */
const PAUSE_MS = 50;
const PAUSE_MOST_MS = 1_000;
/** The interval for pinging a silent connection, in milliseconds. */
const PING_MS = 2_000;

/** A subscriber of one Redis channel. */
export interface Subscriber {
  /** Called with each published message. */
  take(text: string): void;
  /** Called if messages may have been missed because the connection was lost. */
  missed(): void;
}

/** The subset of the npm client that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (text: string) => void): Promise<void>;
  unsubscribe(channel: string, listener?: (text: string) => void): Promise<void>;
  destroy(): void;
  unref(): void;
  on(event: string, listener: (error?: Error) => void): unknown;
}

/**
 * Subscriptions that share one connection. The connection is opened with the first subscription and reopened whenever
 * it is lost.
 */
export class RedisSubscriber {
  readonly #url: string;
  readonly #timeout: number;
  readonly #limit: TimeLimit;
  readonly #subscribers = new Map<string, Subscriber>();
  /** Fails the subscriptions that Redis has not confirmed yet. */
  readonly #unconfirmed = new Set<() => void>();
  #client: Client | undefined = undefined;
  #connecting: Promise<unknown> | undefined = undefined;
  #wasLost = false;

  constructor(url: string, timeout: number) {
    this.#url = url;
    this.#timeout = timeout;
    this.#limit = new TimeLimit(timeout);
  }

  /** Adds a subscription. Rejects if Redis does not confirm it in time. */
  async add(channel: string, subscriber: Subscriber): Promise<void> {
    this.#subscribers.set(channel, subscriber);
    try {
      await this.#inTime(this.#subscribe(channel, subscriber));
    } catch (error) {
      if (this.#subscribers.get(channel) === subscriber) this.#subscribers.delete(channel);
      throw error;
    }
  }

  #inTime(done: Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = () => reject(new Error(`Redis did not confirm a subscription within ${this.#timeout} ms`));
    const call = this.#limit.begin(late);
    this.#unconfirmed.add(late);
    done.then(resolve, reject);
    return promise.finally(() => {
      this.#limit.end(call);
      this.#unconfirmed.delete(late);
    });
  }

  async #subscribe(channel: string, subscriber: Subscriber): Promise<void> {
    const client = this.#client ??= this.#open();
    await (this.#connecting ??= client.connect());
    const listener = (text: string) => this.#subscribers.get(channel)?.take(text);
    await client.subscribe(channel, listener);
    client.unref();
    // While Redis is unavailable, the client queues subscriptions. This one may have timed out in the meantime.
    if (this.#subscribers.get(channel) !== subscriber) client.unsubscribe(channel, listener).catch(ignore);
  }

  /** Removes a subscription. */
  remove(channel: string): void {
    if (this.#subscribers.delete(channel)) this.#client?.unsubscribe(channel).catch(ignore);
  }

  /** Closes the connection. */
  close(): void {
    this.#subscribers.clear();
    for (const fail of this.#unconfirmed) fail();
    this.#client?.destroy();
    this.#client = undefined;
  }

  #open(): Client {
    const client: Client = createClient({
      url: this.#url,
      pingInterval: PING_MS,
      socket: {
        connectTimeout: this.#timeout,
        // If the network fails silently, the connection to Redis stays open without any traffic.
        socketTimeout: PING_MS * 2,
        reconnectStrategy: (retries) => Math.min(PAUSE_MS * 2 ** retries, PAUSE_MOST_MS),
      },
    });
    client.on("error", () => this.#wasLost = true);
    client.on("reconnecting", () => this.#wasLost = true);
    // The client renews its subscriptions before it emits `ready`.
    client.on("ready", () => {
      client.unref();
      if (!this.#wasLost) return;
      this.#wasLost = false;
      for (const subscriber of this.#subscribers.values()) subscriber.missed();
    });
    return client;
  }
}

function ignore(): void {}
