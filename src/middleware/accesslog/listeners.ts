/**
 * The listeners of an access log.
 *
 * @module
 */

import { count, methods } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Entry } from "./entry.ts";

/** Options for {@linkcode AccessLog.Listen}. */
export interface ListenOptions {
  /**
   * The maximum number of entries that are queued for the listener. If the listener falls behind, the oldest entries
   * are discarded.
   *
   * @default {1000}
   */
  readonly MaxQueued?: number;
  /** The signal that ends the iteration, such as `ctx.Signal()`. */
  readonly Signal?: AbortSignal;
}

const table = optionTable<ListenOptions>("middleware/accesslog.ListenOptions", "Listen")({
  MaxQueued: count(1_000, { to: Infinity }),
  Signal: methods("addEventListener"),
});

/** The listeners of an access log. */
export class Listeners {
  readonly #all = new Set<Listener>();
  #isClosed = false;

  /** Reports whether there are no listeners. */
  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Passes an entry to all listeners. */
  push(entry: Entry): void {
    // Some values are read on demand, which is no longer possible when the request has ended.
    const copy = { ...entry };
    for (const listener of this.#all) listener.push(copy);
  }

  /** Adds a listener. */
  add(options: ListenOptions): AsyncIterableIterator<Entry, undefined> {
    const { MaxQueued, Signal } = readOptions(table, options);
    const listener = new Listener(MaxQueued, () => this.#all.delete(listener));
    if (this.#isClosed || Signal?.aborted) listener.end();
    else this.#all.add(listener);
    Signal?.addEventListener("abort", () => listener.end(), { once: true });
    return listener;
  }

  /** Ends the iterations of all listeners, after the entries that wait for them. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#all) listener.end();
  }
}

type Result = IteratorResult<Entry, undefined>;

/** A queue of entries. */
class Listener implements AsyncIterableIterator<Entry, undefined> {
  readonly #max: number;
  readonly #removed: () => void;
  #queue: Entry[] = [];
  #waiting: ((result: Result) => void)[] = [];
  #isEnded = false;

  constructor(max: number, removed: () => void) {
    this.#max = Math.max(max, 1);
    this.#removed = removed;
  }

  push(entry: Entry): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting({ done: false, value: entry });
    this.#queue.push(entry);
    if (this.#queue.length > this.#max) this.#queue.shift();
  }

  end(): void {
    this.#isEnded = true;
    this.#removed();
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<Result> {
    const value = this.#queue.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<Result> {
    this.#queue = [];
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
