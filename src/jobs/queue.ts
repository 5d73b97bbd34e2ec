/**
 * Queues of jobs.
 *
 * @module
 */

import { runShared } from "../async/async_context.ts";
import { notify } from "../async/callback.ts";
import {
  amount,
  count,
  either,
  filled,
  methods,
  milliseconds,
  oneOf,
  type Option,
  type OptionRows,
  text,
} from "../config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../config/option_table.ts";
import { FrameworkError } from "../errors/errors.ts";
import { currentTrace } from "../exchange/span.ts";
import { Logger } from "../log/logger.ts";
import { joinSignals } from "../server/signals.ts";
import { waitAtMost } from "../server/wait.ts";
import { Container } from "../../mvc/inject/container.ts";
import { Lifetimes } from "../../mvc/inject/lifetimes.ts";
import { checkCron, checkStore, filterOf } from "./arguments.ts";
import { type App, attach } from "./beside_app.ts";
import { boundedStore } from "./bounded_store.ts";
import { type Options, QueueClock, type Settings, settingsOf } from "./config.ts";
import { type Context, loggerOf } from "./context.ts";
import { Handler } from "./handler.ts";
import { type DataAnd, encode, infoOf, type Job, type JobInfo, nameOf, newID } from "./job.ts";
import { inJobSpan } from "./attempt.ts";
import { Measure } from "./meter.ts";
import { type ScheduleOptions, Schedules } from "./schedules.ts";
import type { Added, JobRecord, ListFilter, NewJob, QueueStats, Store } from "./store.ts";
import { type Engine, Worker } from "./worker.ts";

/** The time after the end of a shutdown for which the queue waits for its store, in milliseconds. */
const graceTime = 1_000;

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
export const addRows: OptionRows<AddOptions> & {
  readonly In: Option<number, number>;
  readonly Priority: Option<number, number>;
} = {
  In: milliseconds(0),
  At: either(undefined, amount(undefined, { from: -8.64e15, to: 8.64e15 }), methods<Date>("getTime")),
  Key: text(),
  KeyFor: milliseconds(),
  Group: text(),
  Priority: count(0, { from: -(2 ** 31), to: 2 ** 31 - 1 }),
  MaxAttempts: count(),
};
const addTable = optionTable<AddOptions>("jobs.AddOptions", "a job")(addRows);

type AddSettings = Filled<AddOptions, "At" | "Key" | "KeyFor" | "Group" | "MaxAttempts">;

const scheduleTable = optionTable<ScheduleOptions>("jobs.ScheduleOptions", "a schedule")({
  Name: filled(),
  TimeZone: filled("UTC"),
  Missed: oneOf("skip", "skip", "once"),
  MissedAfter: milliseconds(60_000),
});

/** A function that runs around every job, such as one that measures its duration. */
export type Middleware = (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * A function that is called for jobs that have failed for good. Nothing waits for it, and its errors are logged.
 *
 * @param job The job.
 * @param error The error of the last attempt.
 */
export type FailureObserver = (job: JobInfo, error: Error) => unknown;

/** Adds jobs. */
export interface Adder {
  /**
   * Adds a job.
   *
   * @param job The class or function that runs the job. It need not be handled in this process.
   * @param rest The data, and the options.
   * @returns The ID, and whether the job is new. It is not if another job holds the key.
   * @throws {ValidationError} If the data does not match the schema of the job.
   */
  Add<J extends Job>(job: J, ...rest: DataAnd<J, AddOptions>): Promise<Added>;
}

/**
 * Creates a queue.
 *
 * @param store The store. Several queues can share it.
 * @param config The options.
 * @returns The queue. It runs no jobs until `Run`, `RunWith` or `Drain` is called.
 */
export function New(store: Store, config: Options = {}): Queue {
  return new Queue(store, config);
}

/** A queue of jobs. */
export class Queue implements Adder {
  readonly #store: Store;
  readonly #settings: Settings;
  readonly #clock: QueueClock;
  readonly #schedules: Schedules;
  readonly #handlers = new Map<string, Handler>();
  readonly #middleware: Middleware[] = [];
  readonly #observers: FailureObserver[] = [];
  readonly #dependencies: unknown[] = [];
  readonly #lifetimes = new Lifetimes();
  #container: Container = new Container("jobs.Queue", this.#lifetimes);
  #logger: Logger;
  #worker: Worker | undefined = undefined;
  #running: Promise<void> | undefined = undefined;

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   */
  constructor(store: Store, config: Options) {
    checkStore(store);
    this.#settings = settingsOf(config);
    this.#store = boundedStore(store, this.#settings.Lease);
    this.#logger = config.Logger ?? new Logger();
    this.#clock = new QueueClock(this.#store, this.#settings.Clock, () => this.#logger);
    this.#schedules = new Schedules(this.#store, this.#settings.Name, this.#clock);
  }

  /** Returns the name of the queue. */
  get Name(): string {
    return this.#settings.Name;
  }

  /** Returns the store of the queue. */
  get Store(): Store {
    return this.#store;
  }

  /**
   * Registers dependencies for the jobs of this queue, as `mvc.Application` does for controllers. Values of
   * `mvc.PerRequest` are created once per job, and are disposed of when it ends.
   *
   * @param dependencies The dependencies.
   * @returns This queue, for chaining.
   */
  Register(...dependencies: unknown[]): this {
    this.#dependencies.push(...dependencies);
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Registers classes and functions that run jobs. Jobs without a registered class or function are left to other
   * processes.
   *
   * @param jobs The classes and functions.
   * @returns This queue, for chaining.
   */
  Handle(...jobs: Job[]): this {
    for (const job of jobs) {
      const handler = new Handler(job, this.#container);
      if (this.#handlers.has(handler.name)) {
        const message = `Cannot handle the job "${handler.name}": another one has the same name`;
        throw new FrameworkError("FW_JOB", message);
      }
      this.#handlers.set(handler.name, handler);
    }
    return this;
  }

  /**
   * Adds a function that runs around every job. The first one is the outermost.
   *
   * @param middleware The function. It returns the result of the job.
   * @returns This queue, for chaining.
   */
  Use(...middleware: Middleware[]): this {
    this.#middleware.push(...middleware);
    return this;
  }

  /**
   * Registers an observer for jobs that have failed for good.
   *
   * @param observer The function.
   * @returns This queue, for chaining.
   */
  OnFailed(observer: FailureObserver): this {
    this.#observers.push(observer);
    return this;
  }

  /**
   * Adds a job.
   *
   * @param job The class or function that runs the job. It need not be handled in this process.
   * @param rest The data, and the options.
   * @returns The ID, and whether the job is new. It is not if another job holds the key.
   * @throws {ValidationError} If the data does not match the schema of the job.
   */
  async Add<J extends Job>(job: J, ...rest: DataAnd<J, AddOptions>): Promise<Added> {
    return await this.#add(undefined, job, rest[0], rest[1]);
  }

  /**
   * Returns an object that adds jobs in a transaction of the application. A job exists if and only if the transaction
   * is committed.
   *
   * @param transaction The transaction, as the store expects it.
   * @returns An object with the method `Add`.
   */
  In(transaction: unknown): Adder {
    if (transaction === undefined || transaction === null) {
      throw new FrameworkError("FW_JOB", "Cannot add a job in a transaction: none was passed to In");
    }
    const add = (job: Job, data: unknown, options?: AddOptions) => this.#add(transaction, job, data, options);
    return { Add: (job, ...rest) => add(job, rest[0], rest[1]) };
  }

  /**
   * Adds a job at the times of a cron expression, for example every night. Each tick adds one job, however many
   * processes have the same schedule. Only processes that run jobs add them.
   *
   * @param cron The expression, with five fields, or six if it starts with seconds.
   * @param job The class or function that runs the job.
   * @param data The data of each job.
   * @param options The options.
   * @returns A promise that rejects if the expression, the time zone or the data is not valid.
   */
  async Schedule<J extends Job>(
    cron: string,
    job: J,
    ...[data, options = {}]: DataAnd<J, ScheduleOptions>
  ): Promise<void> {
    checkCron(cron);
    const settings = readOptions(scheduleTable, options);
    const Data = await encode(job, data);
    const name = nameOf(job);
    const newJob = (at: number) => ({ ...this.#newJob(name, Data, addSettings({})), Due: at, Trace: null });
    await this.#schedules.add(cron, { ...settings, Name: settings.Name ?? name }, newJob);
    this.#worker?.wake();
  }

  /**
   * Runs jobs until {@linkcode Shutdown} is called or the process receives SIGINT or SIGTERM.
   *
   * @returns A promise that resolves when the queue has stopped. Rejects if a dependency of a job is missing.
   */
  async Run(): Promise<void> {
    const leave = joinSignals({
      limit: this.#settings.ShutdownTimeout + 1_000,
      delay: 0,
      stop: () => void this.Shutdown(),
      abandon: () => {},
    });
    try {
      await this.#start();
    } finally {
      leave(true);
      await this.#dispose();
    }
  }

  /**
   * Runs jobs while an application runs: from the time at which its server listens until its graceful shutdown. Jobs
   * use the dependencies and the logger of the application, and its `OnError` observers are called for jobs that have
   * failed for good.
   *
   * @param app The application, or an MVC application with the dependencies of the jobs.
   * @returns This queue, for chaining.
   */
  RunWith(app: App): this {
    const { container, logger, observe } = attach(app, {
      meter: Measure(this),
      build: () => {
        this.#rebase(container());
        this.#check();
      },
      start: () => void this.#start().catch((error) => this.#logger.Error("Cannot run the job queue:", error)),
      interrupt: () => this.#worker?.stop(Infinity),
      drain: (until) => this.#stop(until),
      close: () => this.#dispose(),
    });
    this.#logger = logger;
    this.OnFailed(observe);
    return this;
  }

  /**
   * Stops running jobs. Running jobs are finished if that is possible within `ShutdownTimeout`. The rest is given back
   * to the queue at once. Then the dependencies that the queue has created are disposed of.
   */
  async Shutdown(): Promise<void> {
    await this.#stop(performance.now() + this.#settings.ShutdownTimeout);
    await this.#dispose();
  }

  /**
   * Runs all jobs that are due, including those that they add, and the ticks of schedules. Intended for tests, with the
   * option `Clock`. A job that fails is not due again before its delay has passed.
   *
   * @returns The number of attempts.
   */
  async Drain(): Promise<number> {
    this.#check();
    await this.#clock.sync();
    return await new Worker(this.#engine()).drain();
  }

  /**
   * Returns a job.
   *
   * @param id The ID.
   * @returns The job, or `null` if it does not exist or has been deleted.
   */
  async Get(id: string): Promise<JobInfo | null> {
    const job = await this.#store.Get(id);
    return job === null ? null : infoOf(job);
  }

  /**
   * Lists jobs of this queue, with the newest first.
   *
   * @param filter The state and the name of the jobs, the maximum number of jobs, which defaults to 100, and the number
   * of jobs to skip.
   * @returns The jobs.
   */
  async List(filter: Partial<Omit<ListFilter, "Queue">> = {}): Promise<JobInfo[]> {
    const jobs = await this.#store.List({ ...filterOf(filter), Queue: this.Name });
    return jobs.map(infoOf);
  }

  /**
   * Returns the numbers of this queue.
   *
   * @returns The numbers of jobs by state, and the age of the oldest job that is due.
   */
  async Stats(): Promise<QueueStats> {
    const all = await this.#store.Stats(this.#clock.now());
    const none = { Waiting: 0, Due: 0, Running: 0, Failed: 0, Done: 0, OldestDue: null };
    return all.find(({ Queue }) => Queue === this.Name) ?? { Queue: this.Name, ...none };
  }

  /**
   * Cancels jobs. Waiting jobs do not start. The signals of running jobs are aborted.
   *
   * @param ids The IDs.
   * @returns The number of canceled jobs.
   */
  async Cancel(...ids: string[]): Promise<number> {
    const count = await this.#store.Cancel(ids, this.#clock.now());
    await this.#worker?.renew();
    return count;
  }

  /**
   * Makes failed and canceled jobs due again, with all their attempts.
   *
   * @param ids The IDs.
   * @returns The number of jobs.
   */
  async Retry(...ids: string[]): Promise<number> {
    return await this.#store.Retry(ids, this.#clock.now());
  }

  /**
   * Deletes jobs that are not running.
   *
   * @param ids The IDs.
   * @returns The number of deleted jobs.
   */
  async Delete(...ids: string[]): Promise<number> {
    return await this.#store.Delete(ids);
  }

  // The job is added synchronously if the store and the schema are, because a transaction may be synchronous.
  async #add(tx: unknown, job: Job, data: unknown, options: AddOptions = {}): Promise<Added> {
    const name = nameOf(job);
    const settings = addSettings(options);
    if ((this.#handlers.get(name)?.job ?? job) !== job) {
      throw new FrameworkError("FW_JOB", `Cannot add the job "${name}": another job with the same name is handled`);
    }
    const encoded = encode(job, data);
    const text = typeof encoded === "string" ? encoded : await encoded;
    // A transaction may hold the only connection to the store.
    const syncing = tx === undefined ? this.#clock.sync() : undefined;
    if (syncing !== undefined) await syncing;
    const [added] = await this.#store.Add([this.#newJob(name, text, settings)], this.#clock.now(), tx);
    return added as Added;
  }

  #newJob(name: string, data: string, settings: AddSettings): NewJob {
    const { In, At, Key = null, KeyFor, Group = null, Priority, MaxAttempts } = settings;
    const now = this.#clock.now();
    return {
      ID: newID(),
      Queue: this.#settings.Name,
      Name: name,
      Data: data,
      Due: Math.round(At === undefined ? now + In : Number(At)),
      Priority,
      MaxAttempts: MaxAttempts ?? this.#settings.MaxAttempts,
      Key,
      KeyUntil: KeyFor === undefined ? null : Math.round(now + KeyFor),
      Group,
      Trace: currentTrace(),
    };
  }

  /** Makes the dependencies of an application available. Those of the queue take precedence. */
  #rebase(below: Container | undefined): void {
    if (below === undefined) return;
    this.#container = new Container("jobs.Queue", below);
    this.#container.add(...this.#dependencies);
    for (const [name, { job }] of this.#handlers) this.#handlers.set(name, new Handler(job, this.#container));
  }

  async #dispose(): Promise<void> {
    await this.#lifetimes.dispose((error) => this.#logger.Error("Cannot dispose of a dependency:", error));
  }

  #check(): void {
    for (const handler of this.#handlers.values()) handler.check();
  }

  /** Starts a worker in no call's context, unless one is running. The promise resolves when it has stopped. */
  #start(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    const worker = this.#worker = new Worker(this.#engine());
    const crons = new AbortController();
    this.#running = runShared(async () => {
      try {
        this.#check();
        await this.#schedules.register(crons.signal, () => worker.settle());
        await worker.run();
      } finally {
        crons.abort();
        this.#worker = this.#running = undefined;
      }
    });
    return this.#running;
  }

  async #stop(deadline: number): Promise<void> {
    this.#worker?.stop(deadline);
    if (await waitAtMost(this.#running ?? Promise.resolve(), deadline + graceTime - performance.now())) return;
    this.#logger.Error("Cannot stop the job queue in time: the job store does not respond");
  }

  #engine(): Engine {
    return {
      store: this.#store,
      settings: this.#settings,
      clock: this.#clock,
      schedules: this.#schedules,
      handlers: this.#handlers,
      logger: () => this.#logger,
      run: (ctx, handler, job) => this.#runJob(ctx, handler, job),
      failed: (job, error) => this.#failed(job, error),
    };
  }

  #runJob(ctx: Context, handler: Handler, { Data }: JobRecord): Promise<unknown> {
    const report = (act: string, error: unknown) => ctx.Logger().Error(`${act}:`, error);
    let run = () => handler.run(ctx, Data, report);
    for (const each of this.#middleware.toReversed()) {
      const next = run;
      run = () => Promise.try(each, ctx, next);
    }
    return inJobSpan(ctx, run);
  }

  #failed(job: JobRecord, error: Error): void {
    loggerOf(this.#logger, job).Error("A job has failed for good:", error);
    for (const observe of this.#observers) {
      notify(
        () => observe(infoOf(job), error),
        (thrown) => this.#logger.Error("Cannot run an observer of failed jobs:", thrown),
      );
    }
  }
}

/** Checks the options of a job and applies the defaults. */
function addSettings(options: AddOptions): AddSettings {
  const settings = readOptions(addTable, options);
  const { At, Key, KeyFor, Group } = settings;
  const fault = At !== undefined && !Number.isFinite(Number(At))
    ? "At is not a valid time"
    : [Key, Group].some((text) => text === "" || text?.includes("\0"))
    ? "Key and Group must not be empty"
    : KeyFor !== undefined && Key === undefined
    ? "KeyFor requires a Key"
    : undefined;
  if (fault !== undefined) throw new FrameworkError("FW_JOB", `Cannot add a job: ${fault}`);
  return settings;
}
