/**
 * Observes queues for metrics, monitors and health checks.
 *
 * @module
 */

import { methods, milliseconds } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Measured, Meter } from "../../core/exchange/meter.ts";
import type { Context } from "./context.ts";
import type { Operations } from "./operations.ts";
import type { QueueStats } from "./store.ts";

/** The part of a queue that {@linkcode Measure} uses. */
export interface Measurable {
  /** The name of the queue. */
  readonly Name: string;
  /** Returns the current time of the queue's clock. */
  Now?(): number;
  /** Returns the numbers of the queue. */
  Stats(): Promise<QueueStats>;
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
    const labels = { queue: queue.Name };
    return [
      measuredAs("jobs_running", "Jobs running in this process.", running, labels),
      ...stored === undefined ? [] : storedNumbers(stored, queue.Now?.() ?? Date.now(), labels),
      ...[...counts].flatMap(([job, each]) => attemptNumbers(each, { ...labels, job })),
    ];
  };
}

type Labels = Readonly<Record<string, string>>;

/** Returns the time for which the oldest job has been due, in seconds. */
function oldestAge({ OldestDue }: QueueStats, now: number): number {
  return OldestDue === null ? 0 : Math.max(0, (now - OldestDue) / 1000);
}

function storedNumbers(stats: QueueStats, now: number, labels: Labels): Measured[] {
  const { Waiting, Due, Failed } = stats;
  return [
    measuredAs("jobs_waiting", "Jobs waiting, including those that are not due yet.", Waiting, labels),
    measuredAs("jobs_due", "Jobs due.", Due, labels),
    measuredAs("jobs_failed", "Failed jobs that are stored.", Failed, labels),
    measuredAs("jobs_oldest_due_seconds", "Time for which the oldest job has been due.", oldestAge(stats, now), labels),
  ];
}

function attemptNumbers({ done, failed, failedForGood, seconds }: typeof noAttempts, labels: Labels): Measured[] {
  const attempts = "Attempts that have ended in this process.";
  return [
    measuredAs("jobs_attempts_total", attempts, done, { ...labels, outcome: "done" }),
    measuredAs("jobs_attempts_total", attempts, failed, { ...labels, outcome: "failed" }),
    measuredAs("jobs_attempts_seconds_total", "Time spent in attempts in this process.", seconds, labels),
    measuredAs("jobs_failed_for_good_total", "Jobs that have failed for good in this process.", failedForGood, labels),
  ];
}

/** Returns a number with its description. The name of a counter ends with `_total`. */
function measuredAs(Name: string, Help: string, Value: number, Labels: Labels): Measured {
  return { Name, Type: Name.endsWith("_total") ? "counter" : "gauge", Help, Value, Labels };
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
