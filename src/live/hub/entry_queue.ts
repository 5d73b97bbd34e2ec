/**
 * Queues the messages of a channel for a response.
 *
 * @module
 */

import type { Entry } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";

/**
 * The maximum number of messages and characters to queue for a slow reader. If one of them is exceeded, the queue takes
 * no more messages.
 */
const MOST_WAITING = 10_000;
const MOST_CHARACTERS = 1 << 20;

/** A message or a gap that is waiting to be sent. */
export interface Queued {
  readonly epoch: string;
  readonly offset: number;
  /** The message, or an empty string if there is none. */
  readonly payload: string;
  /** The missing messages before the offset, if any. */
  readonly gap?: Gap;
}

/** Queues messages until they are read. */
export class EntryQueue implements Sink {
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  #waiting: Queued[] = [];
  #size = 0;
  #wake: (() => void) | undefined = undefined;
  #taken: (() => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;
  #isOpen = true;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#stop = () => this.end();
    signal.addEventListener("abort", this.#stop, { once: true });
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#signal.aborted;
  }

  deliver(channel: Channel, { Offset, Payload }: Entry): void {
    this.push({ epoch: channel.position.Epoch, offset: Offset, payload: Payload });
  }

  skip(channel: Channel, gap: Gap, offset: number): void {
    this.push({ epoch: channel.position.Epoch, offset, payload: "", gap });
  }

  async ready(): Promise<void> {
    while (this.isOpen && this.#waiting.length > 0) await new Promise<void>((resolve) => this.#taken = resolve);
  }

  /** Yields the messages until the queue is full or has ended. */
  async *entries(): AsyncGenerator<Queued> {
    while (this.isOpen || this.#waiting.length > 0) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) {
        await new Promise<void>((resolve) => this.#wake = resolve);
        continue;
      }
      this.#size -= waiting.payload.length;
      yield waiting;
      if (this.#waiting.length === 0) this.#taken?.();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the queue because the messages cannot be read. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  end(): void {
    this.#isOpen = false;
    this.#waiting = [];
    this.#signal.removeEventListener("abort", this.#stop);
    this.#wake?.();
    this.#taken?.();
  }

  push(queued: Queued): void {
    if (!this.isOpen) return;
    this.#waiting.push(queued);
    this.#size += queued.payload.length;
    if (this.#waiting.length > MOST_WAITING || this.#size > MOST_CHARACTERS) this.#isOpen = false;
    this.#wake?.();
    if (!this.#isOpen) this.#taken?.();
  }
}
