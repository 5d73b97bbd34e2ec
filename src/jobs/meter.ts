/**
 * Counts the jobs of a queue for metrics and monitors.
 *
 * @module
 */

import type { Measured, Meter } from "../exchange/meter.ts";
import type { Context } from "./context.ts";
import type { QueueStats } from "./store.ts";

/** The part of a queue that {@linkcode Measure} uses. */
export interface Measurable {
  /** The name of the queue. */
  readonly Name: string;
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
    const Labels = { queue: this.#queue.Name };
    const gauge = (Name: string, Help: string, Value: number) => ({
      Name,
      Type: "gauge" as const,
      Help,
      Value,
      Labels,
    });
    const stats = this.#stats;
    return [
      gauge("jobs_running", "Jobs running in this process.", this.#running),
      ...stats === undefined ? [] : [
        gauge("jobs_waiting", "Jobs waiting, including those that are not due yet.", stats.Waiting),
        gauge("jobs_due", "Jobs due.", stats.Due),
        gauge("jobs_failed", "Failed jobs that are stored.", stats.Failed),
        gauge("jobs_oldest_due_seconds", "Time for which the oldest job has been due.", secondsSince(stats.OldestDue)),
      ],
      ...[...this.#counts].flatMap(([job, counts]) => attemptsOf({ ...Labels, job }, counts)),
    ];
  }

  #read(): void {
    if (performance.now() < this.#readAt) return;
    this.#readAt = performance.now() + readEvery;
    // If the store is unavailable, the worker logs it, and the numbers are missing.
    this.#queue.Stats().then((stats) => this.#stats = stats, () => this.#stats = undefined);
  }
}

function attemptsOf(labels: Readonly<Record<string, string>>, counts: Counts): Measured[] {
  const counter = (Name: string, Help: string, Value: number, outcome?: string): Measured => ({
    Name,
    Type: "counter",
    Help,
    Value,
    Labels: outcome === undefined ? labels : { ...labels, outcome },
  });
  return [
    counter("jobs_attempts_total", "Attempts that have ended in this process.", counts.done, "done"),
    counter("jobs_attempts_total", "Attempts that have ended in this process.", counts.failed, "failed"),
    counter("jobs_attempts_seconds_total", "Time spent in attempts in this process.", counts.seconds),
    counter("jobs_failed_for_good_total", "Jobs that have failed for good in this process.", counts.failedForGood),
  ];
}

function secondsSince(time: number | null): number {
  return time === null ? 0 : Math.max(0, (Date.now() - time) / 1000);
}
