/**
 * Receives the messages of a channel, and tries again if the backplane is not available.
 *
 * @module
 */

import type { Entry } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";
import { type PayloadParts, readPayload } from "./payload.ts";

/** The time before the next attempt to subscribe, and the maximum time to wait for the first one, in milliseconds. */
const RETRY_MS = 1_000;

/** The receiver of the messages of a channel. */
export interface Receiver {
  receive(message: PayloadParts): void;
  /** Called if messages are missing. */
  missed(gap: Gap): void;
}

/** The part of the hub that a subscription needs. */
export interface SubscriptionHub {
  channel(name: string): Channel;
  leave(channel: Channel, sink: Sink): void;
  report(message: string, error: unknown): void;
}

/** A subscription to a channel. It starts immediately. */
export class Subscription implements Sink {
  readonly #hub: SubscriptionHub;
  readonly #channel: Channel;
  readonly #receiver: Receiver;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #isOpen = true;
  #isReported = false;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  /** Whether the first attempt to subscribe has ended or has timed out. */
  isAttempted = false;

  constructor(hub: SubscriptionHub, name: string, receiver: Receiver) {
    this.#hub = hub;
    this.#channel = hub.channel(name);
    this.#receiver = receiver;
    this.#timer = setTimeout(() => this.#endAttempt(), RETRY_MS);
    void this.#begin();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Waits for the first attempt to subscribe, for a limited time. */
  attempted(): Promise<void> {
    return this.#firstAttempt.promise;
  }

  deliver(_channel: Channel, entry: Entry): void {
    const found = readPayload(entry.Payload);
    if (found !== undefined) this.#receiver.receive(found);
  }

  skip(_channel: Channel, gap: Gap): void {
    this.#receiver.missed(gap);
  }

  stop(): void {
    this.#isOpen = false;
    this.#endAttempt();
    this.#hub.leave(this.#channel, this);
  }

  async #begin(): Promise<void> {
    try {
      await this.#channel.add(this);
      this.#endAttempt();
    } catch (error) {
      // The failure of a later attempt would say the same.
      if (this.#isOpen && !this.#isReported) this.#hub.report("Cannot listen to the other processes yet:", error);
      this.#isReported = true;
      this.#endAttempt();
      if (this.#isOpen) this.#timer = setTimeout(() => this.#begin(), RETRY_MS);
    }
    // The last connection may have closed in the meantime.
    if (!this.#isOpen) this.#hub.leave(this.#channel, this);
  }

  #endAttempt(): void {
    clearTimeout(this.#timer);
    this.isAttempted = true;
    this.#firstAttempt.resolve();
  }
}
