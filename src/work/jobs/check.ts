/**
 * A health check for queues.
 *
 * @module
 */

import { methods, milliseconds } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Queue } from "./queue.ts";

/** Options for {@linkcode Check}. */
export interface CheckOptions {
  /**
   * The maximum time that a job can be due before the check fails, in milliseconds.
   *
   * @default {300000}
   */
  MaxAge?: number;
}

const table = optionTable<CheckOptions>("jobs.CheckOptions", "the check of a job queue")({
  MaxAge: milliseconds(300_000),
});

/**
 * Creates a health check that fails if jobs are due but do not start, or if the store is unavailable:
 * `health.New({ Checks: { jobs: jobs.Check(queue) } })`.
 *
 * @param queue The queue.
 * @param options The options.
 * @returns The check.
 */
export function Check(queue: Queue, options: CheckOptions = {}): () => Promise<void> {
  checkArgument(queue, methods("Stats", "Now"), "queue", "jobs.Check");
  const { MaxAge } = readOptions(table, options);
  return async () => {
    const { Due, OldestDue } = await queue.Stats();
    const age = OldestDue === null ? 0 : queue.Now() - OldestDue;
    if (age <= MaxAge) return;
    throw new Error(
      `The queue "${queue.Name}" is stuck: ${Due} jobs are due, the oldest one for ${Math.round(age / 1000)} s`,
    );
  };
}
