/**
 * Queues of jobs.
 *
 * @module
 */

import { runShared } from "../../base/async/async_context.ts";
import { installable } from "../../base/config/option_shapes.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { assertFunction } from "../../base/config/returned.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { Logger } from "../../base/log/logger.ts";
import type { Application } from "../../core/app/application.ts";
import { recordOf } from "../../core/app/party.ts";
import { runWithCarried } from "../../core/context/carried.ts";
import type { Host } from "../../core/context/extension.ts";
import { inSpan } from "../../core/exchange/span.ts";
import { joinSignals } from "../../http/server/signals.ts";
import { waitAtMost } from "../../http/server/wait.ts";
import type { Application as MVCApplication } from "../../../mvc/application.ts";
import { Container, notedContainer } from "../../../mvc/inject/container.ts";
import { Lifetimes } from "../../../mvc/inject/lifetimes.ts";
import { Adder } from "./adding.ts";
import { boundedStore } from "./bounded_store.ts";
import { QueueClock } from "./clock.ts";
import { type Options, settingsOf } from "./config.ts";
import { Context } from "./context.ts";
import { type FailureObserver, FailureReports, type QueueParts } from "./failure_reports.ts";
import { Handler } from "./handler.ts";
import type { DataAnd, Job, Sound } from "./job.ts";
import { spanOf } from "./attempt.ts";
import { Measure } from "./meter.ts";
import { Operations } from "./operations.ts";
import { readPanel } from "./panel.ts";
import { type ScheduleOptions, Schedules } from "./schedules.ts";
import type { JobRecord, Store } from "./store.ts";
import { valuesOf } from "./stored_part.ts";
import { type Engine, Worker } from "./worker.ts";

/** The time after the end of a shutdown for which the queue waits for its store, in milliseconds. */
const graceTime = 1_000;

/** An application that a queue can run with. */
export type App = Application | MVCApplication;

/** A function that runs around every job, such as one that measures its duration. */
export type Middleware = (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>;

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
export class Queue extends Operations {
  readonly #engine: Engine;
  readonly #handlers = new Map<string, Handler>();
  readonly #middleware: Middleware[] = [];
  readonly #dependencies: unknown[] = [];
  readonly #lifetimes = new Lifetimes();
  #container: Container = new Container("jobs.Queue", this.#lifetimes);
  #logger: Logger;
  #app: object | undefined = undefined;
  #worker: Worker | undefined = undefined;
  #running: Promise<void> | undefined = undefined;

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   */
  constructor(store: Store, config: Options) {
    const settings = settingsOf(config);
    const bounded = boundedStore(store, settings.Lease);
    const logger = () => this.#logger;
    const clock = new QueueClock(bounded, settings.Clock, logger);
    const parts: QueueParts = {
      store: bounded,
      settings,
      clock,
      logger,
      handled: (name) => this.#handlers.get(name)?.job,
      declareSchedules: () => this.#engine.schedules.declare(),
      canceled: () => this.#worker?.renew(),
    };
    super(parts);
    this.#logger = config.Logger ?? new Logger();
    this.#engine = {
      ...parts,
      schedules: new Schedules(parts),
      handlers: this.#handlers,
      run: (job, signal) => this.#runJob(job, signal),
      reports: new FailureReports(parts),
    };
  }

  /**
   * Returns the store of the queue.
   *
   * @returns The store that `jobs.New` received.
   *
   * @example `await queue.Store.Migrate();`
   */
  get Store(): Store {
    return this.#engine.store;
  }

  /**
   * Registers dependencies for the jobs of this queue, as `mvc.Application` does for controllers. Values of
   * `mvc.PerRequest` are created once per job, and are disposed of when it ends.
   *
   * @param dependencies The dependencies.
   * @returns This queue, for chaining.
   *
   * @example `queue.Register(mvc.Provide(Shipping, new Shipping()));`
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
   *
   * @example `queue.Handle(shipOrder);`
   */
  Handle<J extends readonly Job[]>(...jobs: { readonly [K in keyof J]: J[K] & Sound<J[K]> }): this {
    for (const job of jobs) {
      const handler = new Handler(job, this.#container);
      if (this.#handlers.has(handler.name)) {
        throw new FrameworkError("FW_JOB", `Cannot handle the job "${handler.name}": another one has the same name`);
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
   *
   * @example `queue.Use((_job, next) => next());`
   */
  Use(...middleware: Middleware[]): this {
    for (const each of middleware) assertFunction(each, "the middleware of a queue");
    this.#middleware.push(...middleware);
    return this;
  }

  /**
   * Registers an observer for jobs that have failed for good.
   *
   * @param observer The function.
   * @returns This queue, for chaining.
   *
   * @example `queue.OnFailed((job, error) => console.error(job.Name, error.message));`
   */
  OnFailed(observer: FailureObserver): this {
    assertFunction(observer, "the observer of OnFailed");
    this.#engine.reports.observers.push(observer);
    return this;
  }

  /**
   * Returns an object that adds jobs in a transaction of the application. A job exists if and only if the transaction
   * is committed.
   *
   * @param transaction The transaction, as the store expects it.
   * @returns An object with the methods `Add`, `AddAll` and `AddBatch`.
   *
   * @example `await queue.In(transaction).Add(shipOrder, { id: 7 });`
   */
  In(transaction: unknown): Adder {
    if (transaction === undefined || transaction === null) {
      throw new FrameworkError("FW_JOB", "Cannot add a job in a transaction: none was passed to In");
    }
    return new Adder(this.#engine, transaction);
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
   *
   * @example `await queue.Schedule("0 3 * * *", shipOrder, { id: 7 }, { TimeZone: "Europe/Berlin" });`
   */
  async Schedule<J extends Job>(
    cron: string,
    job: J & Sound<J>,
    ...[data, options]: DataAnd<J, ScheduleOptions>
  ): Promise<void> {
    await this.#engine.schedules.add(cron, job, data, options);
    this.#worker?.wake();
  }

  /**
   * Runs jobs until {@linkcode Shutdown} is called or the process receives SIGINT or SIGTERM.
   *
   * @returns A promise that resolves when the queue has stopped. Rejects if a dependency of a job is missing.
   *
   * @example `await queue.Run(); // until a signal stops the process`
   */
  async Run(): Promise<void> {
    const { ShutdownTimeout } = this.#engine.settings;
    const leave = joinSignals({ limit: ShutdownTimeout + 1_000, delay: 0, stop: () => void this.Shutdown() });
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
   *
   * @example `queue.RunWith(app);`
   */
  RunWith(app: App): this {
    const party = (Object(app) as Partial<MVCApplication>).Router ?? app as Application;
    checkArgument(party, installable, "app", "queue.RunWith");
    const Install = (host: Host) => {
      const rebase = () => this.#rebase(notedContainer(party === app ? recordOf(party) : app));
      host.Check(`queue "${this.Name}"`, rebase, "start");
      host.Meter(Measure(this));
      host.Panel(this.Name === "default" ? "Jobs" : `Jobs: ${this.Name}`, (call) => readPanel(this, call));
      host.Run((signal) => {
        signal.addEventListener("abort", () => this.#worker?.stop(Infinity));
        return this.#start();
      }, { Drain: (until) => this.#stop(until), Dispose: () => this.#dispose() });
      this.#app = host.App;
      this.#logger = host.App.Logger() as Logger;
      this.OnFailed(({ Queue, Name, ID }, error) => {
        // Observers of errors receive a request, which identifies the job.
        const path = [Queue, Name, ID].map(encodeURIComponent).join("/");
        host.App.Report(error, new Request(`http://localhost/jobs/${path}`, { method: "JOB" }));
      });
    };
    party.Install({ Name: "jobs", Many: true, Install });
    return this;
  }

  /**
   * Stops running jobs. Running jobs are finished if that is possible within `ShutdownTimeout`. The rest is given back
   * to the queue at once. Then the dependencies that the queue has created are disposed of.
   *
   * @example `await queue.Shutdown();`
   */
  async Shutdown(): Promise<void> {
    await this.#stop(performance.now() + this.#engine.settings.ShutdownTimeout);
    await this.#dispose();
  }

  /**
   * Runs all jobs that are due, including those that they add, and the ticks of schedules. Intended for tests, with the
   * option `Clock`. A job that fails is not due again before its delay has passed. Jobs that a started queue is already
   * running are not awaited, so call it in applications that were built but not started.
   *
   * @returns The number of attempts.
   *
   * @example `await queue.Drain(); // in a test: runs all jobs that are due`
   */
  async Drain(): Promise<number> {
    this.#check();
    await this.#engine.clock.sync();
    return await new Worker(this.#engine).drain();
  }

  /**
   * Stops starting jobs in this process, for example before a deployment, while the process continues to run. Jobs that
   * are waiting are left to other processes.
   *
   * @returns A promise that resolves when no job is running any more.
   *
   * @example `await queue.Quiet(); // takes no further jobs`
   */
  async Quiet(): Promise<void> {
    await this.#worker?.quiet();
  }

  /** Makes the dependencies of an application available, and checks them. Those of the queue take precedence. */
  #rebase(below: Container | undefined): void {
    if (below !== undefined) {
      this.#container = new Container("jobs.Queue", below);
      this.#container.add(...this.#dependencies);
      for (const [name, { job }] of this.#handlers) this.#handlers.set(name, new Handler(job, this.#container));
    }
    this.#check();
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
    const worker = this.#worker = new Worker(this.#engine);
    const crons = new AbortController();
    this.#running = runShared(async () => {
      try {
        this.#check();
        await this.#engine.schedules.register(crons.signal, () => worker.settle());
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

  #runJob(job: JobRecord, signal: AbortSignal): Promise<unknown> {
    const ends = new AsyncDisposableStack();
    const ctx = new Context({ job, signal, ends, store: this.#engine.store, logger: this.#logger, app: this.#app });
    const report = (act: string, error: unknown) => ctx.Logger().Error(`${act}:`, error);
    const handle = () => (this.#handlers.get(job.Name) as Handler).run(ctx, job.Data, report);
    const run = this.#middleware.reduceRight<typeof handle>((next, each) => () => Promise.try(each, ctx, next), handle);
    // The jobs that it adds have the same values.
    return inSpan(spanOf, ctx, async () => {
      await using _ends = ends;
      return await runWithCarried(valuesOf(job.Trace), run);
    }) as Promise<unknown>;
  }
}
