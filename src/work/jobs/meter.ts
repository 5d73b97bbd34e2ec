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
interface Counts {
  done: number;
  failed: number;
  failedForGood: number;
  seconds: number;
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
  const counter = new JobCounter(queue);
  queue.Use((ctx, next) => counter.run(ctx, next));
  queue.OnFailed(({ Name }) => void counter.of(Name).failedForGood++);
  return () => counter.measured();
}

class JobCounter {
  readonly #queue: Measurable;
  readonly #counts = new Map<string, Counts>();
  #running = 0;
  #stats: QueueStats | undefined = undefined;
  #readAt = 0;

  constructor(queue: Measurable) {
    this.#queue = queue;
  }

  of(name: string): Counts {
    return this.#counts.getOrInsertComputed(name, () => ({ done: 0, failed: 0, failedForGood: 0, seconds: 0 }));
  }

  async run(ctx: Context, next: () => Promise<unknown>): Promise<unknown> {
    const counts = this.of(ctx.Name);
    const begin = performance.now();
    this.#running++;
    try {
      const result = await next();
      counts.done++;
      return result;
    } catch (error) {
      counts.failed++;
      throw error;
    } finally {
      this.#running--;
      counts.seconds += (performance.now() - begin) / 1000;
    }
  }

  /** Returns the numbers. Those of the store are the ones of the last read, because this function is synchronous. */
  measured(): Measured[] {
    this.#read();
    const labels = { queue: this.#queue.Name };
    return [
      measuredAs("jobs_running", "Jobs running in this process.", this.#running, labels),
      ...this.#stats === undefined ? [] : storedNumbers(this.#stats, this.#queue.Now?.() ?? Date.now(), labels),
      ...[...this.#counts].flatMap(([job, counts]) => attemptNumbers(counts, { ...labels, job })),
    ];
  }

  #read(): void {
    if (performance.now() < this.#readAt) return;
    this.#readAt = performance.now() + readEvery;
    // If the store is unavailable, the worker logs it, and the numbers are missing.
    this.#queue.Stats().then((stats) => this.#stats = stats, () => this.#stats = undefined);
  }
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
