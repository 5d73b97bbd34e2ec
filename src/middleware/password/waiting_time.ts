/**
 * Limits the time that clients wait for a computation.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";

/** The estimate for the first computations, in milliseconds. */
const FIRST_MS = 50;
/** The weight of a new measurement. */
const WEIGHT = 0.2;

/**
 * Estimates how long a computation would wait for those before it, from the time that passes between two results. A
 * client that would wait too long is refused at once, so that it does not occupy the queue and knows when to return.
 */
export class WaitingTime {
  readonly #most: number;
  readonly #now: () => number;
  #waiting = 0;
  #each = FIRST_MS;
  #lastEnd = -Infinity;

  /**
   * Creates an estimate.
   *
   * @param most The maximum waiting time, in milliseconds.
   * @param now Returns the time, in milliseconds.
   */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /**
   * Runs a computation, unless it would have to wait too long.
   *
   * @throws {HTTPError} With status 503 and the estimated time in `Retry-After`.
   */
  async run<T>(compute: () => Promise<T>): Promise<T> {
    const wait = this.#waiting * this.#each;
    if (wait >= this.#most) throw new HTTPError(503, "", { Code: "FW_AUTH", RetryAfter: wait });
    this.#waiting++;
    const begun = this.#now();
    try {
      return await compute();
    } finally {
      this.#waiting--;
      const end = this.#now();
      // Several threads return results one after another, so the time since the last result includes their number.
      this.#each += WEIGHT * (end - Math.max(begun, this.#lastEnd) - this.#each);
      this.#lastEnd = end;
    }
  }
}
