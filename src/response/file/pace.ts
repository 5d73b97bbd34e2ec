/**
 * A pace: so many bytes per second, and a few at once.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";

/** The pace of one response. */
export class Pace {
  /** How many bytes may be sent at once. */
  readonly burst: number;
  readonly #rate: number;
  #credit: number;
  #at: number;
  #wake: (() => void) | undefined = undefined;

  /**
   * Creates a pace; the first burst is free.
   *
   * @param rate How many bytes may be sent per second.
   * @param burst How many of them at once.
   */
  constructor(rate: number, burst: number = rate) {
    for (const value of [rate, burst]) {
      if (!(value > 0)) {
        throw new FrameworkError("FW_CONFIG", `Cannot limit the rate of a file: "${value}" is not a number above 0`);
      }
    }
    this.#rate = rate;
    this.burst = Math.max(1, Math.floor(burst));
    this.#credit = this.burst;
    this.#at = performance.now();
  }

  /**
   * Waits until so many bytes may be sent.
   *
   * @param count How many, at most a burst.
   */
  async wait(count: number): Promise<void> {
    const now = performance.now();
    this.#credit = Math.min(this.burst, this.#credit + (now - this.#at) * this.#rate / 1000) - count;
    this.#at = now;
    if (this.#credit >= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, -this.#credit * 1000 / this.#rate);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Ends the waiting: the client has gone. */
  stop(): void {
    this.#wake?.();
  }
}
