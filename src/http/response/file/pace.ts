/**
 * Limits the number of bytes sent per second and allows bursts.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";

/** The rate limit of one response. */
export class Pace {
  /** The maximum number of bytes to send in a burst. */
  readonly burst: number;
  readonly #rate: number;
  #credit: number;
  #at: number;
  #wake: (() => void) | undefined = undefined;

  /**
   * Creates a rate limit. The first burst is sent without waiting.
   *
   * @param rate The number of bytes to send per second.
   * @param burst The maximum number of bytes to send in a burst.
   */
  constructor(rate: number, burst: number = rate) {
    for (const value of [rate, burst]) {
      if (!(value > 0)) {
        throw new FrameworkError("FW_CONFIG", `Cannot limit the rate of a file: "${value}" is not a positive number`);
      }
    }
    this.#rate = rate;
    this.burst = Math.max(1, Math.floor(burst));
    this.#credit = this.burst;
    this.#at = performance.now();
  }

  /**
   * Waits until a number of bytes may be sent.
   *
   * @param count The number of bytes, at most one burst.
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

  /** Stops waiting after the client has disconnected. */
  stop(): void {
    this.#wake?.();
  }
}
