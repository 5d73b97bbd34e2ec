/**
 * The clock of a queue.
 *
 * @module
 */

import { callNow, isTime, latestTime } from "../../base/async/callback.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Store } from "./store.ts";

/** The smallest difference from the expected time that is treated as a jump, in milliseconds. */
const shortestJump = 1_000;
/** The time after which a clock that has jumped is believed, in milliseconds. */
const believedAfter = 30_000;
/** The times between two readings of another machine's clock, in milliseconds. */
const readEvery = 60_000;
const readEveryAfterJump = 5_000;
/** The time after which a reading says nothing about jumps, in milliseconds. */
const freshFor = 5_000;

/**
 * Returns the time that is a number of milliseconds later, or `null` without one. SQLite would return a very late time
 * as a bigint, and refuses fractions.
 */
export function timeAfter(now: number, ms: number): number;
export function timeAfter(now: number, ms: number | undefined): number | null;
export function timeAfter(now: number, ms: number | undefined): number | null {
  return ms === undefined ? null : Math.min(latestTime, Math.round(now + ms));
}

/**
 * The clock of a queue: the option `Clock`, or the clock of the store, continued with the monotonic clock.
 *
 * A clock that jumps may be wrong for a moment only: an administrator mistypes the time, or a virtual machine resumes
 * before its clock is set. If it were believed at once, jobs would run hours early, and leases would expire.
 */
export class QueueClock {
  readonly #store: Store;
  readonly #option: (() => number) | undefined;
  readonly #logger: () => Logger;
  /** The time at 0 of the monotonic clock, or `undefined` before the first reading. */
  #origin: number | undefined = undefined;
  #readAt = -Infinity;
  #jumpedAt: number | undefined = undefined;
  #nextReading = -Infinity;

  /**
   * Creates a clock.
   *
   * @param store The store.
   * @param option The option.
   * @param logger Returns the logger of the queue.
   */
  constructor(store: Store, option: (() => number) | undefined, logger: () => Logger) {
    this.#store = store;
    this.#option = option;
    this.#logger = logger;
  }

  /** Returns the current time. */
  now(): number {
    if (this.#option === undefined) return this.#stored();
    return Math.round(callNow(this.#option, isTime, (reason) => {
      this.#report(reason);
      return this.#stored();
    }));
  }

  #stored(): number {
    const at = performance.now();
    if (this.#store.Now === undefined) this.#read(Date.now(), at);
    return Math.round(this.#origin === undefined ? Date.now() : this.#origin + at);
  }

  /**
   * Reads the clock of a store on another machine, if necessary.
   *
   * @param transaction The transaction that may hold the only connection to the store.
   * @returns `undefined` if nothing has to be awaited.
   */
  sync(transaction?: unknown): Promise<void> | undefined {
    const isNeeded = this.#option === undefined && this.#store.Now !== undefined &&
      performance.now() > (transaction === undefined || this.#origin === undefined ? this.#nextReading : Infinity);
    return isNeeded ? this.#measure(transaction) : undefined;
  }

  async #measure(transaction: unknown): Promise<void> {
    const before = performance.now();
    // Concurrent calls do not measure again.
    if (this.#origin !== undefined) this.#nextReading = before + readEveryAfterJump;
    try {
      this.#read(await this.#store.Now?.(transaction) ?? Date.now(), (before + performance.now()) / 2);
    } catch (error) {
      // The clocks seldom differ, so jobs are added and run by the clock of this process.
      this.#report(error);
    }
    this.#nextReading = performance.now() + (this.#jumpedAt === undefined ? readEvery : readEveryAfterJump);
  }

  #report(reason: unknown): void {
    this.#logger().Error("Cannot read the clock of a job queue:", reason);
  }

  #read(time: number, at: number): void {
    const origin = time - at;
    const freshness = this.#store.Now === undefined ? freshFor : readEvery + freshFor;
    const isJump = this.#origin !== undefined && Math.abs(origin - this.#origin) > shortestJump &&
      (at - this.#readAt < freshness || this.#jumpedAt !== undefined);
    this.#readAt = at;
    this.#jumpedAt = isJump ? this.#jumpedAt ?? at : undefined;
    if (this.#jumpedAt !== undefined && at - this.#jumpedAt < believedAfter) return;
    this.#jumpedAt = undefined;
    this.#origin = origin;
  }
}
