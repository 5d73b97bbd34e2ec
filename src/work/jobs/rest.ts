/**
 * Pauses of a worker, and the times in which its store is unavailable.
 *
 * @module
 */

import type { Logger } from "../../base/log/logger.ts";
import { sleep, waitAtMost } from "../../http/server/wait.ts";

const shortestPause = 50;
const longestPause = 5_000;

/** The pauses of a worker whose store may be temporarily unavailable. Each outage is logged once. */
export class Rest {
  readonly #logger: () => Logger;
  #failures = 0;
  /** Is resolved by the first call of {@linkcode wake} after a pause. */
  #waking = Promise.withResolvers<void>();

  constructor(logger: () => Logger) {
    this.#logger = logger;
  }

  /** Ends a pause early, because there is something to do. */
  wake(): void {
    this.#waking.resolve();
  }

  /** Waits until {@linkcode wake} is called, or was called after the last pause, at most for a time in milliseconds. */
  async wait(ms: number): Promise<void> {
    if (ms > 0) await waitAtMost(this.#waking.promise, Math.ceil(ms));
    this.#waking = Promise.withResolvers<void>();
  }

  /** Logs an error, unless the store was already unavailable. */
  report(error: unknown): void {
    if (this.#failures++ === 0) this.#logger().Error("Cannot use the job store; trying again:", error);
  }

  /**
   * Runs a function that uses the store. If it fails, pauses.
   *
   * @param run The function. The pause is longer after each failure.
   * @param undo Called if the function fails.
   */
  async watch(run: () => Promise<void>, undo?: () => void): Promise<void> {
    const failures = this.#failures;
    try {
      await run();
      // A function that began before the last failure does not show that the store is available.
      if (failures === 0 || failures !== this.#failures) return;
      this.#failures = 0;
      this.#logger().Info("The job store is available again");
    } catch (error) {
      this.report(error);
      undo?.();
      const pause = Math.min(longestPause, shortestPause * 2 ** Math.min(this.#failures, 10));
      await sleep(pause * (0.5 + Math.random() / 2));
      this.wake();
    }
  }
}
