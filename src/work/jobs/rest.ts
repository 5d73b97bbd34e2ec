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
  #wake: (() => void) | undefined = undefined;
  /** Whether {@linkcode wake} was called while nothing was waiting. */
  #isAwake = false;

  constructor(logger: () => Logger) {
    this.#logger = logger;
  }

  /** Ends a pause early, because there is something to do. */
  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** Waits until {@linkcode wake} is called, at most for a time in milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isAwake && ms > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await waitAtMost(promise, Math.ceil(ms));
      this.#wake = undefined;
    }
    this.#isAwake = false;
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
    try {
      await run();
      if (this.#failures > 0) this.#logger().Info("The job store is available again");
      this.#failures = 0;
    } catch (error) {
      this.report(error);
      undo?.();
      const pause = Math.min(longestPause, shortestPause * 2 ** Math.min(this.#failures, 10));
      await sleep(pause * (0.5 + Math.random() / 2));
      this.wake();
    }
  }
}
