/**
 * Observes queues for metrics, monitors and health checks.
 *
 * @module
 */

import { methods, milliseconds } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Meter } from "../../core/exchange/meter.ts";
import type { Context } from "./context.ts";
import type { Operations } from "./operations.ts";
import type { QueueStats } from "./store.ts";

/** The part of a queue that {@linkcode Measure} uses. */
export interface Measurable extends Pick<Operations, "Name" | "Stats">, Partial<Pick<Operations, "Now">> {
  /** Adds a function that runs around every job. */
  Use(middleware: (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>): unknown;
  /** Registers an observer for jobs that have failed for good. */
  OnFailed(observer: (job: { readonly Name: string }) => void): unknown;
}

/** The attempts of one job class or function in this process. */
const noAttempts = { done: 0, failed: 0, failedForGood: 0, seconds: 0 };

/** The minimum time between two reads of the numbers in the store, in milliseconds. */
const readEvery = 2_000;

/**
 * Starts to measure a queue. A queue that runs with an application is measured anyway.
 *
 * @param queue The queue.
 * @returns A function that reads the numbers.
 */
export function Measure(queue: Measurable): Meter {
  checkArgument(queue, methods<Measurable>("Use", "OnFailed", "Stats"), "queue", "jobs.Measure");
  const counts = new Map<string, typeof noAttempts>();
  const countsOf = (name: string) => counts.getOrInsertComputed(name, () => ({ ...noAttempts }));
  let running = 0;
  queue.Use(async (ctx, next) => {
    const begin = performance.now();
    let outcome: "done" | "failed" = "failed";
    running++;
    try {
      const result = await next();
      outcome = "done";
      return result;
    } finally {
      running--;
      countsOf(ctx.Name)[outcome]++;
      countsOf(ctx.Name).seconds += (performance.now() - begin) / 1000;
    }
  });
  queue.OnFailed(({ Name }) => void countsOf(Name).failedForGood++);
  let stored: QueueStats | undefined;
  let readAt = 0;
  // The numbers of the store are the ones of the last read, because a meter is synchronous.
  return () => {
    if (performance.now() >= readAt) {
      readAt = performance.now() + readEvery;
      // If the store is unavailable, the worker logs it, and the numbers are missing.
      queue.Stats().then((stats) => stored = stats, () => stored = undefined);
    }
    const numbers: Numbered[] = [["jobs_running", "Jobs running in this process.", running]];
    if (stored !== undefined) numbers.push(...storedNumbers(stored, queue.Now?.() ?? Date.now()));
    for (const [job, attempts] of counts) numbers.push(...attemptNumbers(attempts, job));
    return numbers.map(([Name, Help, Value, labels]) => {
      const Type = Name.endsWith("_total") ? "counter" : "gauge";
      return { Name, Type, Help, Value, Labels: { queue: queue.Name, ...labels } };
    });
  };
}

/** A number with its description and its labels. The name of a counter ends with `_total`. */
type Numbered = [name: string, help: string, value: number, labels?: Readonly<Record<string, string>>];

/** Returns the time for which the oldest job has been due, in seconds. */
function oldestAge({ OldestDue }: QueueStats, now: number): number {
  return OldestDue === null ? 0 : Math.max(0, (now - OldestDue) / 1000);
}

function storedNumbers(stats: QueueStats, now: number): Numbered[] {
  return [
    ["jobs_waiting", "Jobs waiting, including those that are not due yet.", stats.Waiting],
    ["jobs_due", "Jobs due.", stats.Due],
    ["jobs_failed", "Failed jobs that are stored.", stats.Failed],
    ["jobs_oldest_due_seconds", "Time for which the oldest job has been due.", oldestAge(stats, now)],
  ];
}

function attemptNumbers({ done, failed, failedForGood, seconds }: typeof noAttempts, job: string): Numbered[] {
  const attempts = "Attempts that have ended in this process.";
  return [
    ["jobs_attempts_total", attempts, done, { job, outcome: "done" }],
    ["jobs_attempts_total", attempts, failed, { job, outcome: "failed" }],
    ["jobs_attempts_seconds_total", "Time spent in attempts in this process.", seconds, { job }],
    ["jobs_failed_for_good_total", "Jobs that have failed for good in this process.", failedForGood, { job }],
  ];
}

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
export function Check(queue: Operations, options: CheckOptions = {}): () => Promise<void> {
  checkArgument(queue, methods("Stats", "Now"), "queue", "jobs.Check");
  const { MaxAge } = readOptions(table, options);
  return async () => {
    const stats = await queue.Stats();
    const age = oldestAge(stats, queue.Now());
    if (age <= MaxAge / 1000) return;
    const state = `${stats.Due} jobs are due, the oldest one for ${Math.round(age)} s`;
    throw new Error(`The queue "${queue.Name}" is stuck: ${state}`);
  };
}
