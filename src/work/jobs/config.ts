/**
 * The options of a queue.
 *
 * @module
 */

import { latestTime } from "../../base/async/callback.ts";
import {
  count,
  filled,
  func,
  group,
  methods,
  milliseconds,
  required,
  timeLimit,
  where,
} from "../../base/config/option_kinds.ts";
import { checkArgument, type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { JobRate, Limits } from "./store.ts";

/** Options for {@linkcode New}. All times are in milliseconds. */
export interface Options {
  /**
   * The name of the queue. Queues with different names can share a store.
   *
   * @default {"default"}
   */
  Name?: string;
  /**
   * The maximum number of jobs that this process runs at the same time.
   *
   * @default {10}
   */
  Concurrency?: number;
  /** The maximum number of jobs from this queue that run at the same time, across all processes. */
  MaxRunning?: number;
  /** The maximum number of jobs from this queue that start within any period, across all processes. */
  Rate?: JobRate;
  /** The limits for each group of jobs, across all processes. */
  PerGroup?: Limits;
  /**
   * The number of attempts after which a job fails permanently.
   *
   * @default {10}
   */
  MaxAttempts?: number;
  /**
   * Returns the delay before the next attempt. Defaults to {@linkcode FullJitter} with 1 second and 1 hour, which is
   * also used, with an error in the log, if the function throws or does not return a number from 0 to 31,536,000,000
   * (one year).
   *
   * @param attempt The number of the attempt that has failed.
   * @param error The error.
   */
  Backoff?: (attempt: number, error: Error) => number;
  /** The time limit for an attempt. If it is exceeded, the job's signal is aborted and the attempt fails. */
  Timeout?: number;
  /**
   * The time for which a process owns a job without renewing its lease. If the process crashes, another process runs
   * the job after this time. A lease is renewed each time a third of this time has passed. A call of the store fails
   * if it takes longer than this time.
   *
   * @default {30000}
   */
  Lease?: number;
  /**
   * The time for which completed jobs stay in the store with their results.
   *
   * @default {3600000}
   */
  KeepDone?: number;
  /** The time for which failed and canceled jobs stay in the store. By default, they stay until they are deleted. */
  KeepFailed?: number;
  /**
   * The maximum time between two checks for jobs. Stores usually notify the queue earlier.
   *
   * @default {1000}
   */
  PollEvery?: number;
  /**
   * The time for which a shutdown waits for running jobs. After that, their signals are aborted and they are returned
   * to the queue. `RunWith` uses the application's `ShutdownTimeout` instead.
   *
   * @default {8000}
   */
  ShutdownTimeout?: number;
  /** The logger. Defaults to the logger of the application passed to `RunWith`, or a new logger. */
  Logger?: Logger;
  /**
   * Returns the current time. Set it in tests. Defaults to the store's clock, which is also used, with an error in the
   * log, if the function throws or does not return a time in milliseconds since 1970.
   */
  Clock?: () => number;
}

/** The options with their default values. */
export type Settings = Filled<
  Options,
  "MaxRunning" | "Rate" | "PerGroup" | "Timeout" | "KeepFailed" | "Logger" | "Clock"
>;

/** The default of {@linkcode Options.Backoff}. */
export const defaultBackoff: (attempt: number) => number = FullJitter(1_000, 3_600_000);
const rate = group<JobRate>({
  Limit: required(count()),
  Period: required(milliseconds(undefined, { from: 1, to: latestTime })),
});

const table = optionTable<Options>("jobs.Options", "a job queue")({
  Name: where(filled("default"), "a non-empty string without NUL", (name) => !name.includes("\0")),
  Concurrency: count(10),
  MaxRunning: count(),
  Rate: rate,
  PerGroup: group({ MaxRunning: count(), Rate: rate }),
  MaxAttempts: count(10, { to: 2 ** 31 - 1 }),
  Backoff: func(defaultBackoff),
  Timeout: timeLimit(undefined, { from: 1 }),
  Lease: timeLimit(30_000, { from: 1 }),
  KeepDone: milliseconds(3_600_000),
  KeepFailed: milliseconds(),
  PollEvery: timeLimit(1_000, { from: 1 }),
  ShutdownTimeout: timeLimit(8_000, { isPositive: false }),
  Logger: methods("With", "Error"),
  Clock: func(),
});

/**
 * Checks the options of a queue and applies the default values.
 *
 * @param config The options.
 */
export function settingsOf(config: Options): Settings {
  return readOptions(table, config);
}

/**
 * Creates a back-off whose delays are random, so that jobs that have failed together are not retried together. The
 * upper bound of the delay doubles with each attempt.
 *
 * @param base The upper bound of the first delay, in milliseconds.
 * @param max The maximum upper bound, in milliseconds.
 * @returns The function for {@linkcode Options.Backoff}.
 */
export function FullJitter(base: number, max: number): (attempt: number) => number {
  checkArgument(base, milliseconds(), "base", "jobs.FullJitter");
  checkArgument(max, milliseconds(), "max", "jobs.FullJitter");
  return (attempt) => Math.random() * Math.min(max, base * 2 ** (attempt - 1));
}
