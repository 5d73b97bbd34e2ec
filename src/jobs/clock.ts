/**
 * The time of a queue.
 *
 * @module
 */

import type { Store } from "./store.ts";

/** The time between two measurements, in milliseconds. */
const measuredEvery = 60_000;

/** The clock of a queue: the option, or the clock of the store. */
export class QueueClock {
  readonly #store: Store;
  readonly #option: (() => number) | undefined;
  /** The time of the store minus the time of this process. */
  #offset = 0;
  #measureAt = -Infinity;

  constructor(store: Store, option: (() => number) | undefined) {
    this.#store = store;
    this.#option = option;
  }

  /** Returns the current time. */
  now(): number {
    return Math.round(this.#option === undefined ? Date.now() + this.#offset : this.#option());
  }

  /** Measures the difference between both clocks, if necessary. Returns `undefined` if nothing has to be awaited. */
  sync(): Promise<void> | undefined {
    const isNeeded = this.#option === undefined && this.#store.Now !== undefined && performance.now() > this.#measureAt;
    return isNeeded ? this.#measure() : undefined;
  }

  async #measure(): Promise<void> {
    this.#measureAt = performance.now() + measuredEvery;
    const before = Date.now();
    const time = await this.#store.Now?.() ?? before;
    this.#offset = time - (before + Date.now()) / 2;
  }
}
