/**
 * The connection that receives what Redis publishes. Redis wants one of its own for that.
 *
 * @module
 */
import { createClient } from "npm:@redis/client@^5";

/** How long the connection waits before it is opened again, in milliseconds, and at most. */
const PAUSE_MS = 50;
const PAUSE_MOST_MS = 1_000;
/** How often a silent connection is asked whether it still works, in milliseconds. */
const PING_MS = 2_000;

/** Receives what is published to one channel. */
export interface Subscriber {
  /** A text was published. */
  take(text: string): void;
  /** Texts may have been missed, since the connection was lost. */
  missed(): void;
}

/** The part of npm's client that is used. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (text: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  destroy(): void;
  unref(): void;
  on(event: string, listener: (error?: Error) => void): unknown;
}

/** Subscriptions over one connection, which is opened with the first and again whenever it is lost. */
export class RedisSubscriber {
  readonly #url: string;
  readonly #timeout: number;
  readonly #subscribers = new Map<string, Subscriber>();
  #client: Client | undefined = undefined;
  #connecting: Promise<unknown> | undefined = undefined;
  #wasLost = false;

  constructor(url: string, timeout: number) {
    this.#url = url;
    this.#timeout = timeout;
  }

  /** Begins a subscription. */
  async add(channel: string, subscriber: Subscriber): Promise<void> {
    this.#subscribers.set(channel, subscriber);
    const client = this.#client ??= this.#open();
    this.#connecting ??= client.connect();
    try {
      await this.#connecting;
      await client.subscribe(channel, (text) => this.#subscribers.get(channel)?.take(text));
      client.unref();
    } catch (error) {
      this.#subscribers.delete(channel);
      throw error;
    }
  }

  /** Ends a subscription. */
  remove(channel: string): void {
    if (this.#subscribers.delete(channel)) this.#client?.unsubscribe(channel).catch(ignore);
  }

  /** Ends the connection. */
  close(): void {
    this.#subscribers.clear();
    this.#client?.destroy();
    this.#client = undefined;
  }

  #open(): Client {
    const client: Client = createClient({
      url: this.#url,
      pingInterval: PING_MS,
      socket: {
        connectTimeout: this.#timeout,
        // A Redis behind a dead network keeps the connection open and says nothing.
        socketTimeout: PING_MS * 2,
        reconnectStrategy: (retries) => Math.min(PAUSE_MS * 2 ** retries, PAUSE_MOST_MS),
      },
    });
    client.on("error", () => this.#wasLost = true);
    client.on("reconnecting", () => this.#wasLost = true);
    // The client subscribes again by itself before it says so.
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
