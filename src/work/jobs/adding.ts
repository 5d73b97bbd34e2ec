/**
 * The ways to add jobs.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { latestTime } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import {
  amount,
  count,
  either,
  func,
  list,
  methods,
  milliseconds,
  type Option,
  type OptionRows,
  text,
} from "../../base/config/option_kinds.ts";
import { returnedString } from "../../base/config/returned.ts";
import { checkArgument, type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { announce } from "../../core/exchange/span.ts";
import type { Awaitable } from "../../state/store/store.ts";
import { timeAfter } from "./clock.ts";
import { type DataAnd, type DataOf, encode, type Job, nameOf, newID, type Sound } from "./job.ts";
import type { Added, NewJob, Store } from "./store.ts";
import { currentOrigin } from "./stored_part.ts";

/** Options for {@linkcode Queue.Add}. All times are in milliseconds. */
export interface AddOptions {
  /**
   * The delay before the job can start.
   *
   * @default {0}
   */
  In?: number;
  /** The earliest time at which the job can start. */
  At?: Date | number;
  /**
   * The job's unique key. While a job with this key is waiting, no other job with the same key is added. Handlers
   * receive the key as `ctx.Key`.
   */
  Key?: string;
  /** The time during which no other job with the same key is added, regardless of this job's state. */
  KeyFor?: number;
  /** The group whose limits apply to the job, such as a customer ID. See `PerGroup`. */
  Group?: string;
  /**
   * The job's priority, as an integer. Jobs with a higher priority start first.
   *
   * @default {0}
   */
  Priority?: number;
  /** The number of attempts after which the job fails permanently. Defaults to the queue's `MaxAttempts`. */
  MaxAttempts?: number;
}

/** The rules for {@linkcode AddOptions}. */
export const addRows: OptionRows<AddOptions> & Readonly<Record<"In" | "Priority", Option<number, number>>> = {
  In: milliseconds(0),
  At: either<Date | number, undefined>(
    undefined,
    amount(undefined, { from: -latestTime, to: latestTime }),
    methods<Date>("getTime"),
  ),
  Key: text(),
  KeyFor: milliseconds(),
  Group: text(),
  Priority: count(0, { from: -(2 ** 31), to: 2 ** 31 - 1 }),
  MaxAttempts: count(undefined, { to: 2 ** 31 - 1 }),
};
const addTable = optionTable<AddOptions>("jobs.AddOptions", "a job")(addRows);

/** The options of a job with their default values. */
export type AddSettings = Filled<AddOptions, "At" | "Key" | "KeyFor" | "Group" | "MaxAttempts">;

/** Options for {@linkcode Queue.AddAll}. They apply to each job. */
export interface AddAllOptions extends Omit<AddOptions, "Key"> {
  /** Returns the unique key of a job. */
  Key?: (data: unknown, index: number) => string;
}

const addAllTable = optionTable<AddAllOptions>("jobs.AddAllOptions", "several jobs")({ ...addRows, Key: func() });

/** The outcome of adding a batch. */
export interface AddedBatch {
  /** The ID of the job that runs when all jobs of the batch have ended. */
  readonly ID: string;
  /** The outcomes of adding the jobs of the batch. */
  readonly Jobs: readonly Added[];
}

/** The parts of a queue that its operations use. */
export interface OperatedQueue {
  /** The store of the queue. */
  readonly store: Store;
  /** The options of the queue, with their defaults. */
  readonly settings: { readonly Name: string; readonly MaxAttempts: number; readonly KeepFailed?: number | undefined };
  /** The clock that all processes of the queue share. */
  readonly clock: { now(): number; sync(transaction?: unknown): unknown };
  /** Returns the class or function that handles the jobs with a name in this process, if there is one. */
  handled(name: string): Job | undefined;
  /** Stores the schedules that the store does not know yet. */
  declareSchedules(): Promise<void>;
  /** Notices that jobs were canceled. */
  canceled(): Promise<void> | undefined;
}

/** The number of jobs that one statement adds. */
export const addedAtOnce = 500;

/** Adds jobs to a queue, in a transaction of the application if it was created by `queue.In`. */
export class Adder {
  readonly #queue: OperatedQueue;
  readonly #transaction: unknown;

  /**
   * Created by a queue.
   *
   * @ignore
   */
  constructor(queue: OperatedQueue, transaction?: unknown) {
    this.#queue = queue;
    this.#transaction = transaction;
  }

  /**
   * Adds a job.
   *
   * @param job The class or function that runs the job. It need not be handled in this process.
   * @param rest The data, and the options.
   * @returns The ID, and whether the job is new. It is not if another job holds the key.
   * @throws {ValidationError} If the data does not match the schema of the job.
   *
   * @example `await queue.Add(shipOrder, { id: 7 }, { In: 60_000 });`
   */
  async Add<J extends Job>(job: J & Sound<J>, ...rest: DataAnd<J, AddOptions>): Promise<Added> {
    const created = this.#newJobs(job, [rest[0]], [addSettings(rest[1])]);
    const [added] = await this.#add(isThenable(created) ? await created : created);
    return added as Added;
  }

  /**
   * Adds many jobs, in lists of 500 that each take one statement. If the method rejects because of the store, earlier
   * lists have been added.
   *
   * @param job The class or function that runs the jobs.
   * @param list The data of each job.
   * @param options The options of each job.
   * @returns One outcome per job, in the same order.
   * @throws {ValidationError} If an item does not match the schema of the job. No job is added then.
   *
   * @example `await queue.AddAll(shipOrder, [{ id: 7 }, { id: 8 }]);`
   */
  async AddAll<J extends Job>(job: J, list: readonly DataOf<J>[], options?: AddAllOptions): Promise<Added[]> {
    const created = await this.#newJobs(job, list, addAllSettings(list, options));
    const all: Added[] = [];
    for (let i = 0; i < created.length; i += addedAtOnce) {
      all.push(...await this.#add(created.slice(i, i + addedAtOnce)));
      // A transaction of SQLite may have to end before other code runs.
      if (this.#transaction === undefined) await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  }

  /**
   * Adds many jobs, and one that runs when all of them are done, have failed for good, or were canceled or deleted. Its
   * `ctx.FailedInBatch` is the number of jobs that have failed. All of them are added, or none.
   *
   * @param job The class or function that runs the jobs.
   * @param list The data of each job.
   * @param then The class or function of the last job.
   * @param rest The data of the last job, and the options of the others.
   * @returns The IDs.
   *
   * @example `await queue.AddBatch(shipOrder, [{ id: 7 }, { id: 8 }], reportAll);`
   */
  async AddBatch<J extends Job, T extends Job>(
    job: J,
    list: readonly DataOf<J>[],
    then: T,
    ...rest: DataAnd<T, AddAllOptions>
  ): Promise<AddedBatch> {
    const created = await this.#newJobs(job, list, addAllSettings(list, rest[1]));
    const [end] = await this.#newJobs(then, [rest[0]], []);
    const last = { ...end as NewJob, Pending: list.length };
    // All jobs are added at once, because a batch that lacks some of them would never end.
    const [, ...Jobs] = await this.#add([last, ...created.map((each) => ({ ...each, Batch: last.ID }))]);
    return { ID: last.ID, Jobs };
  }

  #add(jobs: readonly NewJob[]): Awaitable<readonly Added[]> {
    const { store, clock } = this.#queue;
    return store.Add(jobs, clock.now(), this.#transaction);
  }

  /**
   * Creates jobs, at once if the schema and the store are synchronous, because a transaction may be. Throws if the data
   * of a job is not valid.
   */
  #newJobs(job: Job, list: readonly unknown[], settings: readonly AddSettings[]): Awaitable<NewJob[]> {
    const Name = nameOf(job);
    if ((this.#queue.handled(Name) ?? job) !== job) {
      throw new FrameworkError("FW_JOB", `Cannot add the job "${Name}": another job with the same name is handled`);
    }
    const texts = list.map((data) => encode(job, data));
    const parts = [currentOrigin(), this.#queue.clock.sync(this.#transaction), ...texts];
    const create = ([Trace, , ...all]: unknown[]) =>
      all.map((Data, i) => newJob(this.#queue, { Name, Data, Trace } as NewJob, settings[i]));
    announce("job", list.length === 1 ? Name : `${Name} (${list.length})`);
    return parts.some(isThenable) ? Promise.all(parts).then(create) : create(parts);
  }
}

/**
 * Creates a job for a store.
 *
 * @param queue The queue.
 * @param job The name, the data and the origin of the job.
 * @param settings The options of the job.
 */
export function newJob(
  { settings: queue, clock }: OperatedQueue,
  job: Pick<NewJob, "Name" | "Data" | "Trace">,
  settings: AddSettings = addSettings(),
): NewJob {
  const now = clock.now();
  const { In, At, Key = null, KeyFor, Group = null, Priority, MaxAttempts = queue.MaxAttempts } = settings;
  return {
    ...job,
    ID: newID(now),
    Queue: queue.Name,
    Due: At === undefined ? timeAfter(now, In) : Math.round(Number(At)),
    Priority,
    MaxAttempts,
    Key,
    KeyUntil: timeAfter(now, KeyFor),
    Group,
  };
}

/** Checks the options of several jobs. Returns the options of each one. */
function addAllSettings(jobs: readonly unknown[], options: AddAllOptions = {}): AddSettings[] {
  checkArgument(jobs, list(), "list", "AddAll");
  const { Key, ...rest } = readOptions(addAllTable, options);
  return jobs.map((data, i) =>
    addSettings({ ...rest, ...Key && { Key: returnedString(Key(data, i), "Key of AddAll") } } as AddOptions)
  );
}

/** Checks the options of a job and applies the defaults. */
export function addSettings(options: AddOptions = {}): AddSettings {
  const settings = readOptions(addTable, options);
  const { At, Key, KeyFor, Group } = settings;
  refuseIf(At !== undefined && !Number.isFinite(Number(At)), "At is not a valid time");
  refuseIf([Key, Group].some((text) => text === "" || text?.includes("\0")), "Key and Group must not be empty");
  refuseIf(KeyFor !== undefined && Key === undefined, "KeyFor requires a Key");
  return settings;
}

function refuseIf(isWrong: boolean, fault: string): void {
  if (isWrong) throw new FrameworkError("FW_JOB", `Cannot add a job: ${fault}`);
}
