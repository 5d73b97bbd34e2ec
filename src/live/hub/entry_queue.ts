/**
 * Queues the messages of a channel for a response.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { whenAborted } from "../../base/async/when_aborted.ts";
import type { Entry } from "./backplane.ts";
import type { Channel, Gap, Sink } from "./channel.ts";

/**
 * The maximum number of messages and characters to queue for a slow reader. If one of them is exceeded, the queue takes
 * no more messages.
 */
const MOST_WAITING = 10_000;
const MOST_CHARACTERS = 1 << 20;

/**
 * The maximum number of readers that are woken before the event loop gets a turn. Each of them encodes and writes a
 * part of its response, so that 5,000 readers of a topic would hold the loop for 270 ms.
 */
const SLICE = 128;

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
  readonly #forget: () => void;
  #waiting: Queued[] = [];
  #size = 0;
  #wake: (() => void) | undefined = undefined;
  #taken: (() => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;
  #isOpen = true;
  #isDue = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#forget = whenAborted(signal, () => this.end());
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
        this.#wake = undefined;
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
    this.#forget();
    this.#wake?.();
    this.#taken?.();
  }

  /** Lets the reader continue. Called when it is its turn. */
  wake(): void {
    this.#isDue = false;
    this.#wake?.();
  }

  push(queued: Queued): void {
    if (!this.isOpen) return;
    this.#waiting.push(queued);
    this.#size += queued.payload.length;
    if (this.#waiting.length > MOST_WAITING || this.#size > MOST_CHARACTERS) this.#isOpen = false;
    if (this.#wake !== undefined && !this.#isDue) {
      this.#isDue = true;
      wakes.add(this);
    }
    if (!this.#isOpen) this.#taken?.();
  }
}

/** Wakes readers, at once or in one of the next turns of the event loop. */
class WakeSchedule {
  #waiting: EntryQueue[] = [];
  #next = 0;
  #woken = 0;

  add(queue: EntryQueue): void {
    if (this.#woken === 0) setImmediate(() => this.#startTurn());
    if (this.#woken++ < SLICE) queue.wake();
    else this.#waiting.push(queue);
  }

  #startTurn(): void {
    const end = Math.min(this.#next + SLICE, this.#waiting.length);
    this.#woken = end - this.#next;
    if (this.#woken > 0) setImmediate(() => this.#startTurn());
    while (this.#next < end) this.#waiting[this.#next++]?.wake();
    if (end < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}

const wakes = new WakeSchedule();
