/**
 * A health check for queues.
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import type { Queue } from "./queue.ts";

/** Options for {@linkcode Check}. */
export interface CheckOptions {
  /**
   * The time for which a job may be due before the queue counts as stuck, in milliseconds.
   *
   * @default {300000}
   */
  MaxAge?: number;
}

const optionRules: OptionRules<CheckOptions> = { MaxAge: "number" };

/**
 * Creates a health check that fails if jobs are due but do not start, or if the store is unavailable:
 * `health.New({ Checks: { jobs: jobs.Check(queue) } })`.
 *
 * @param queue The queue.
 * @param options The options.
 * @returns The check.
 */
export function Check(queue: Queue, options: CheckOptions = {}): () => Promise<void> {
  checkOptions("the check of a job queue", options, optionRules);
  const { MaxAge = 300_000 } = options;
  return async () => {
    const { Due, OldestDue } = await queue.Stats();
    const age = OldestDue === null ? 0 : Date.now() - OldestDue;
    if (age <= MaxAge) return;
    throw new Error(
      `The queue "${queue.Name}" is stuck: ${Due} jobs are due, the oldest one for ${Math.round(age / 1000)} s`,
    );
  };
}
