/**
 * The time that a client takes to send its body.
 *
 * @module
 */

import type { BodyTimeout } from "../base/config.ts";
import { HTTPError } from "../base/errors.ts";
import { mayLeaveBehind } from "./abandoned_reads.ts";
import { Deadline, unwatch, watch } from "./deadlines.ts";

/** A read under way. */
export interface PendingRead<T> {
  readonly reading: Promise<T>;
  /** How many bytes have come before. */
  readonly count: number;
  /** How many bytes the read may hold. */
  readonly held: number;
  /** Whether no other read of the body follows. */
  readonly isLast?: boolean;
}

/** Waits for the bytes of one body, and loses patience. */
export class BodyClock {
  readonly #timeout: BodyTimeout;
  #waited = 0;

  /**
   * Creates a clock that has not waited yet.
   *
   * @param timeout How long the client may take.
   */
  constructor(timeout: BodyTimeout) {
    this.#timeout = timeout;
  }

  /**
   * Waits for the next bytes. What a handler does between two reads does not count: that is not the client's time.
   *
   * @param read The read under way.
   * @returns What the read gives; it fails with 408 when the client is too slow.
   */
  wait<T>(read: PendingRead<T>): Promise<T> {
    const left = this.#left(read.count);
    return left === Infinity ? read.reading : this.#waitFor(read, left, itself);
  }

  /**
   * Waits for the last bytes, and does something with them in the same promise.
   *
   * @param read The read under way.
   * @param use What is done.
   * @param explain Turns what the platform fails with into an error of ours.
   * @returns What was done.
   */
  waitAndUse<T, R>(read: PendingRead<T>, use: (got: T) => R, explain: (error: unknown) => unknown): Promise<R> {
    const left = this.#left(read.count);
    if (left !== Infinity) return this.#waitFor(read, left, use, explain);
    return read.reading.then(use, (error) => {
      throw explain(error);
    });
  }

  /** Written without an `async`: every short body is waited for here, and each promise between costs it. */
  #waitFor<T, R>(
    read: PendingRead<T>,
    left: number,
    use: (got: T) => R,
    explain: (error: unknown) => unknown = itself,
  ): Promise<R> {
    // The platform's clock costs 2 µs, and after the last read no other one asks how long this took.
    const begin = read.isLast === true ? 0 : performance.now();
    return new Promise<R>((resolve, reject) => {
      const deadline = new Deadline(left, () => {
        // Without room, a client that is too slow is told so with its next byte, and a silent one when it leaves.
        if (!mayLeaveBehind(read.reading, read.held)) return;
        this.#count(read, begin);
        reject(tooSlow());
      });
      watch(deadline);
      read.reading.then((got) => {
        unwatch(deadline);
        this.#count(read, begin);
        if (deadline.isMissed) return reject(tooSlow());
        try {
          resolve(use(got));
        } catch (error) {
          reject(error);
        }
      }, (error) => {
        unwatch(deadline);
        this.#count(read, begin);
        reject(explain(error));
      });
    });
  }

  #count<T>(read: PendingRead<T>, begin: number): void {
    if (read.isLast !== true) this.#waited += performance.now() - begin;
  }

  #left(count: number): number {
    const { MinRate, Grace, Total } = this.#timeout;
    const byRate = MinRate > 0 ? Grace + 1000 * count / MinRate : Infinity;
    const allowed = Math.min(byRate, Total > 0 ? Total : Infinity);
    // A timer takes no longer time: it would fire at once.
    return allowed === Infinity ? Infinity : Math.min(Math.max(0, allowed - this.#waited), 2 ** 31 - 1);
  }
}

function itself<T>(value: T): T {
  return value;
}

function tooSlow(): HTTPError {
  return new HTTPError(408, "Cannot read the request body: it comes too slowly", { Code: "FW_TIMEOUT" });
}
