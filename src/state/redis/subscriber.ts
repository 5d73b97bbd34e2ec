/**
 * The subscriptions to Redis channels. They are restored whenever a connection is lost.
 *
 * @module
 */
import { runShared } from "../../base/async/async_context.ts";
import { TimeLimit } from "../store/time_limit.ts";
import { type ChannelClient, openChannels, type Receive } from "./channel_client.ts";
import type { Client, Driver } from "./client.ts";

/** The delay before checking again whether a lost connection has been restored, in milliseconds. */
const PAUSE_MS = 100;

/** A subscriber of one Redis channel. */
export interface Subscriber {
  /** Called with each published message. */
  take(text: string): void;
  /** Called if messages may have been missed because the connection was lost. */
  missed(): void;
}

/** A subscriber and the function that receives the messages for it. */
interface Subscribed {
  readonly subscriber: Subscriber;
  readonly receive: Receive;
}

/** Subscriptions that share one connection, which is opened with the first subscription. */
export class RedisSubscriber {
  readonly #driver: Driver;
  readonly #client: Client;
  readonly #timeout: number;
  readonly #limit: TimeLimit;
  readonly #subscribed = new Map<string, Subscribed>();
  /** Fails the subscriptions that Redis has not confirmed yet. */
  readonly #unconfirmed = new Set<() => void>();
  #channels: ChannelClient | undefined = undefined;
  #connecting: Promise<unknown> | undefined = undefined;
  #isRestoring = false;
  #isClosed = false;

  constructor(driver: Driver, client: Client, timeout: number) {
    this.#driver = driver;
    this.#client = client;
    this.#timeout = timeout;
    this.#limit = new TimeLimit(timeout);
  }

  /** Adds a subscription. Rejects if Redis does not confirm it in time. */
  async add(channel: string, subscriber: Subscriber): Promise<void> {
    const receive = (text: string) => subscriber.take(text);
    const subscribed = { subscriber, receive };
    this.#subscribed.set(channel, subscribed);
    try {
      await this.#inTime(this.#subscribe(channel, subscribed));
    } catch (error) {
      if (this.#subscribed.get(channel) === subscribed) this.#subscribed.delete(channel);
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

  async #subscribe(channel: string, subscribed: Subscribed): Promise<void> {
    const channels = await this.#open();
    await channels.subscribe(channel, subscribed.receive);
    // While Redis is unavailable, the client queues subscriptions. This one may have timed out in the meantime.
    if (this.#subscribed.get(channel) !== subscribed) channels.unsubscribe(channel, subscribed.receive).catch(ignore);
  }

  /** Removes a subscription. */
  remove(channel: string): void {
    const subscribed = this.#subscribed.get(channel);
    if (subscribed === undefined) return;
    this.#subscribed.delete(channel);
    this.#channels?.unsubscribe(channel, subscribed.receive).catch(ignore);
  }

  /** Ends all subscriptions, and closes the connection if fw has opened it. */
  close(): void {
    this.#isClosed = true;
    for (const channel of [...this.#subscribed.keys()]) this.remove(channel);
    for (const fail of this.#unconfirmed) fail();
    this.#channels?.close();
    this.#channels = undefined;
  }

  async #open(): Promise<ChannelClient> {
    if (this.#isClosed) throw new Error("The backplane is closed");
    const channels = this.#channels ??= openChannels(this.#driver, this.#client, () => void this.#restore());
    await (this.#connecting ??= runShared(() => channels.connect()));
    return channels;
  }

  /**
   * Waits until a lost connection has been restored. The client renews its subscriptions before it sends a new one, so
   * the confirmation of a new one means that all are active.
   */
  async #restore(): Promise<void> {
    if (this.#isRestoring || this.#isClosed) return;
    this.#isRestoring = true;
    const probe = `fw:probe:${crypto.randomUUID()}`;
    while (!this.#isClosed && !await this.#isConfirmed(probe)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#isRestoring = false;
    for (const { subscriber } of this.#subscribed.values()) subscriber.missed();
  }

  async #isConfirmed(probe: string): Promise<boolean> {
    const channels = this.#channels;
    try {
      if (channels !== undefined) await this.#inTime(channels.subscribe(probe, ignore).then(ignore));
      channels?.unsubscribe(probe, ignore).catch(ignore);
      return true;
    } catch {
      return false;
    }
  }
}

function ignore(): void {}
