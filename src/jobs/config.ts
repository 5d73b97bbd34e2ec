/**
 * The options of a queue.
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { Logger } from "../log/logger.ts";
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
  /** The maximum number of jobs of this queue that all processes together run at the same time. */
  MaxRunning?: number;
  /** The maximum number of jobs of this queue that all processes together start within any period. */
  Rate?: JobRate;
  /** The limits for the jobs of each group, for all processes together. */
  PerGroup?: Limits;
  /**
   * The number of attempts after which a job has failed for good.
   *
   * @default {10}
   */
  MaxAttempts?: number;
  /**
   * Returns the delay before the next attempt. Defaults to {@linkcode FullJitter} with 1 second and 1 hour.
   *
   * @param attempt The number of the attempt that has failed.
   * @param error The error.
   */
  Backoff?: (attempt: number, error: Error) => number;
  /** The time limit of an attempt. If it is exceeded, the job's signal is aborted and the attempt fails. */
  Timeout?: number;
  /**
   * The time for which a process owns a job without renewing its lease. If the process crashes, another one runs the
   * job after this time. Leases are renewed three times as often.
   *
   * @default {30000}
   */
  Lease?: number;
  /**
   * The time for which jobs that are done stay in the store with their results.
   *
   * @default {3600000}
   */
  KeepDone?: number;
  /** The time for which failed and canceled jobs stay in the store. By default, they stay until they are deleted. */
  KeepFailed?: number;
  /**
   * The longest time between two looks for jobs. Stores usually notify the queue earlier.
   *
   * @default {1000}
   */
  PollEvery?: number;
  /**
   * The time for which a shutdown waits for running jobs. Then their signals are aborted, and they are given back.
   * `RunWith` uses the `ShutdownTimeout` of the application instead.
   *
   * @default {8000}
   */
  ShutdownTimeout?: number;
  /** The logger. Defaults to a new one, or to that of the application passed to `RunWith`. */
  Logger?: Logger;
  /** Returns the current time. Set it in tests. Defaults to the time of the store. */
  Clock?: () => number;
}

const defaults = {
  Name: "default",
  Concurrency: 10,
  MaxAttempts: 10,
  Lease: 30_000,
  KeepDone: 3_600_000,
  PollEvery: 1_000,
  ShutdownTimeout: 8_000,
};

/** The options with their default values. */
export type Settings = Readonly<Options & Required<Pick<Options, keyof typeof defaults | "Backoff" | "PerGroup">>>;

const optionRules: OptionRules<Options> = {
  Name: "string",
  Concurrency: "number",
  MaxRunning: "number",
  Rate: "object",
  PerGroup: "object",
  MaxAttempts: "number",
  Backoff: "function",
  Timeout: "number",
  Lease: "number",
  KeepDone: "amount",
  KeepFailed: "amount",
  PollEvery: "number",
  ShutdownTimeout: "amount",
  Logger: { methods: ["With", "Error"] },
  Clock: "function",
};

/**
 * Checks the options of a queue and applies the default values.
 *
 * @param config The options.
 */
export function settingsOf(config: Options): Settings {
  checkOptions("a job queue", config, optionRules);
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const settings: Settings = { ...defaults, Backoff: FullJitter(1_000, 3_600_000), PerGroup: {}, ...given };
  const { Name, Rate, PerGroup } = settings;
  if (Name === "" || Name.includes("\0")) throw invalid("Name", "must be a non-empty string");
  for (const name of ["Concurrency", "MaxRunning", "MaxAttempts"] as const) checkAtLeast(name, config[name], 1, true);
  for (const name of ["Timeout", "Lease", "PollEvery"] as const) checkAtLeast(name, config[name], 1, false);
  checkAtLeast("PerGroup.MaxRunning", PerGroup.MaxRunning, 1, true);
  for (const rate of [Rate, PerGroup.Rate]) {
    checkAtLeast("Rate.Limit", rate?.Limit, 1, true);
    checkAtLeast("Rate.Period", rate?.Period, 1, false);
  }
  return settings;
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
  return (attempt) => Math.random() * Math.min(max, base * 2 ** (attempt - 1));
}

/** Throws if an option is too small. */
export function checkAtLeast(name: string, value: number | undefined, least: number, isWhole: boolean): void {
  if (value === undefined || value >= least && (!isWhole || Number.isInteger(value))) return;
  throw invalid(name, `must be ${isWhole ? "an integer" : "a number"} of at least ${least}`);
}

function invalid(name: string, rule: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot use the option "${name}" of a job queue: it ${rule}`);
}
