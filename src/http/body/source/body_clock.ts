/**
 * Measures the time that a client takes to send its body, and ends reads that it abandons.
 *
 * @module
 */

import type { BodyTimeout } from "../../../base/config/config.ts";
import { HTTPError } from "../../../base/errors/errors.ts";
import { Deadline, unwatch, watch } from "./deadlines.ts";

/**
 * The maximum number of bytes that such reads may hold. Deno 2.8.3 to 2.9.5 never completes a read after its request
 * has a response (denoland/deno#36624), so each of them keeps its buffer and about 8 KB forever.
 */
const mostAbandoned = 32 << 20;
const costOfRead = 8 << 10;

let abandoned = 0;

/**
 * Abandons a read if the memory limit allows it.
 *
 * @param reading The pending read.
 * @param held The size of the read's buffer, in bytes.
 * @returns `false` if the read must be awaited.
 */
export function mayAbandon(reading: Promise<unknown>, held: number): boolean {
  const cost = costOfRead + held;
  if (abandoned + cost > mostAbandoned) return false;
  abandoned += cost;
  const settle = () => void (abandoned -= cost);
  reading.then(settle, settle);
  return true;
}

/** A read in flight. */
export interface PendingRead<T> {
  readonly reading: Promise<T>;
  /** The number of bytes received so far. */
  readonly count: number;
  /** The maximum number of bytes that the read may hold. */
  readonly held: number;
  /** Whether this is the last read of the body. */
  readonly isLast?: boolean;
}

/** Waits for the bytes of a body, up to a time limit. */
export class BodyClock {
  readonly #timeout: BodyTimeout;
  #waited = 0;

  /**
   * Creates a clock.
   *
   * @param timeout The time limits for the client.
   */
  constructor(timeout: BodyTimeout) {
    this.#timeout = timeout;
  }

  /**
   * Waits for the next bytes. The time that a handler takes between two reads is not counted, because it does not
   * depend on the client.
   *
   * @param read The read in flight.
   * @returns The result of the read.
   * @throws {HTTPError} With status 408 if the client is too slow.
   */
  wait<T>(read: PendingRead<T>): Promise<T> {
    const left = this.#left(read.count);
    return left === Infinity ? read.reading : this.#waitFor(read, left, itself);
  }

  /**
   * Waits for the last bytes and processes them in the same promise.
   *
   * @param read The read in flight.
   * @param use Processes the bytes.
   * @param explain Converts the platform's errors to fw's.
   * @returns The result of the processing.
   */
  waitAndUse<T, R>(read: PendingRead<T>, use: (got: T) => R, explain: (error: unknown) => unknown): Promise<R> {
    const left = this.#left(read.count);
    if (left !== Infinity) return this.#waitFor(read, left, use, explain);
    return read.reading.then(use, (error) => {
      throw explain(error);
    });
  }

  /**
   * Waits for a read. The method is not `async`, because every short body passes through it and each additional promise
   * adds to the cost.
   */
  #waitFor<T, R>(
    read: PendingRead<T>,
    left: number,
    use: (got: T) => R,
    explain: (error: unknown) => unknown = itself,
  ): Promise<R> {
    // Reading the clock costs 2 µs, and the time is not needed after the last read.
    const begin = read.isLast === true ? 0 : performance.now();
    return new Promise<R>((resolve, reject) => {
      const deadline = new Deadline(left, () => {
        // If the memory limit for abandoned reads is reached, a slow client gets the error with its next byte, and a
        // silent one when it disconnects.
        if (!mayAbandon(read.reading, read.held)) return;
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
    // Timers do not support longer times and would fire immediately.
    return allowed === Infinity ? Infinity : Math.min(Math.max(0, allowed - this.#waited), 2 ** 31 - 1);
  }
}

function itself<T>(value: T): T {
  return value;
}

function tooSlow(): HTTPError {
  return new HTTPError(408, "Cannot read the request body: the client sends it too slowly", { Code: "FW_TIMEOUT" });
}
