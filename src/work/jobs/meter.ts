/**
 * Counts the jobs of a queue for metrics and monitors.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { methods } from "../../base/config/option_kinds.ts";
import type { Measured, Meter } from "../../core/exchange/meter.ts";
import type { Context } from "./context.ts";
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
type Counts = ReturnType<typeof newCounts>;

function newCounts() {
  return { done: 0, failed: 0, failedForGood: 0, seconds: 0 };
}

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
  const counts = new Map<string, Counts>();
  const countsOf = (name: string) => counts.getOrInsertComputed(name, newCounts);
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

function storedNumbers({ Waiting, Due, Failed, OldestDue }: QueueStats, now: number, labels: Labels): Measured[] {
  const age = OldestDue === null ? 0 : Math.max(0, (now - OldestDue) / 1000);
  return [
    measuredAs("jobs_waiting", "Jobs waiting, including those that are not due yet.", Waiting, labels),
    measuredAs("jobs_due", "Jobs due.", Due, labels),
    measuredAs("jobs_failed", "Failed jobs that are stored.", Failed, labels),
    measuredAs("jobs_oldest_due_seconds", "Time for which the oldest job has been due.", age, labels),
  ];
}

function attemptNumbers({ done, failed, failedForGood, seconds }: Counts, labels: Labels): Measured[] {
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
