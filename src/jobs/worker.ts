/**
 * Claims jobs, runs them and reports how they ended.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { toError } from "../errors/to_error.ts";
import type { Logger } from "../log/logger.ts";
import { toJSON } from "../text/json.ts";
import { Attempt } from "./attempt.ts";
import { delayOf, type QueueClock, type Settings } from "./config.ts";
import { Context, loggerOf, PermanentError } from "./context.ts";
import type { Handler } from "./handler.ts";
import type { Schedules } from "./schedules.ts";
import { type Claimed, type Ending, type JobRecord, leaseExpired, type Store } from "./store.ts";

/** A pause that ends early if there is something to do. */
class Rest {
  #wake: (() => void) | undefined = undefined;
  /** Whether {@linkcode wake} was called while nothing was waiting. */
  #isAwake = false;

  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** Waits until {@linkcode wake} is called, at most for a time in milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isAwake && ms > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.ceil(ms));
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isAwake = false;
  }
}

const shortestPause = 50;
const longestPause = 5_000;

/** Handles a store that is temporarily unavailable. Each outage is logged once. */
class Outage {
  readonly #logger: () => Logger;
  #failures = 0;

  constructor(logger: () => Logger) {
    this.#logger = logger;
  }

  /** Logs an error, unless the store was already unavailable. */
  report(error: unknown): void {
    if (this.#failures++ === 0) this.#logger().Error("Cannot use the job store; trying again:", error);
  }

  /**
   * Runs a function that uses the store. If it fails, pauses.
   *
   * @param run The function.
   * @param rest The pause, which is longer after each failure.
   * @param undo Called if the function fails.
   */
  async watch(run: () => Promise<void>, rest: Rest, undo?: () => void): Promise<void> {
    try {
      await run();
      if (this.#failures > 0) this.#logger().Info("The job store is available again");
      this.#failures = 0;
    } catch (error) {
      this.report(error);
      undo?.();
      const pause = Math.min(longestPause, shortestPause * 2 ** Math.min(this.#failures, 10));
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
      rest.wake();
    }
  }
}

/** The parts of a queue that its worker uses. */
export interface Engine {
  readonly store: Store;
  readonly settings: Settings;
  readonly clock: QueueClock;
  readonly schedules: Schedules;
  readonly handlers: ReadonlyMap<string, Handler>;
  logger(): Logger;
  /** Runs a job through the middleware. */
  run(ctx: Context, handler: Handler, job: JobRecord): Promise<unknown>;
  /** Reports a job that has failed for good. */
  failed(job: JobRecord, error: Error): void;
}

/** The end of an attempt, to be written. */
interface Ended {
  readonly attempt: Attempt;
  readonly ending: Ending;
  readonly error?: Error;
}

/** The shortest time between renewals that a notification causes, in milliseconds. */
const renewedAtMost = 500;
const sweepEvery = 10_000;
/** The longest time for which jobs may delay other work in the process if they do not wait for anything. */
const longestTurn = 10;
const longestError = 4_000;

/** Runs the jobs of a queue in this process. */
export class Worker {
  readonly #engine: Engine;
  readonly #attempts = new Map<string, Attempt>();
  readonly #rest = new Rest();
  readonly #outage: Outage;
  #ended: Ended[] = [];
  #flushing: Promise<void> | undefined = undefined;
  #isStopping = false;
  #deadline = Infinity;
  #renewAt = 0;
  #sweepAt = 0;
  #breatheAt = 0;
  #count = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#outage = new Outage(() => engine.logger());
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#rest.wake();
  }

  /** Runs jobs until {@linkcode stop} is called. */
  async run(): Promise<void> {
    const unwatch = await this.#watch();
    using _renewing = this.#startRenewing();
    try {
      while (!this.#isStopping) {
        await this.#outage.watch(() => this.#turn(), this.#rest);
        await this.#breathe();
      }
      await this.#finishAll();
    } finally {
      await unwatch();
    }
  }

  /** Waits for notifications. A store that cannot notify is asked regularly. */
  async #watch(): Promise<() => Promise<void>> {
    const report = (error: unknown) =>
      this.#engine.logger().Error("Cannot watch the job store; asking it regularly:", error);
    const unwatch = await Promise.try(() => this.#engine.store.Watch?.(() => this.#notified())).catch(report);
    return () => Promise.try(() => unwatch?.()).catch(report);
  }

  /** Looks for jobs now, and resolves when none is running. */
  async settle(): Promise<void> {
    do {
      this.wake();
      await new Promise((resolve) => setTimeout(resolve, 50));
    } while (this.#attempts.size > 0);
  }

  /** Runs all jobs that are due, and returns the number of attempts. */
  async drain(): Promise<number> {
    using _renewing = this.#startRenewing();
    for (let isIdle = false; !isIdle;) {
      await this.#engine.schedules.look();
      const { Jobs } = await this.#claim();
      await this.#idle();
      isIdle = Jobs.length === 0;
    }
    return this.#count;
  }

  /**
   * Stops claiming jobs.
   *
   * @param deadline The time at which running jobs are aborted and given back, as measured by `performance.now()`.
   */
  stop(deadline: number): void {
    this.#isStopping = true;
    this.#deadline = Math.min(this.#deadline, deadline);
    this.wake();
  }

  #startRenewing(): Disposable {
    const timer = setInterval(() => this.renew(), this.#engine.settings.Lease / 3);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** Lets timers and requests run from time to time. With a synchronous store, nothing else would do that. */
  async #breathe(): Promise<void> {
    if (performance.now() < this.#breatheAt) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#breatheAt = performance.now() + longestTurn;
  }

  async #turn(): Promise<void> {
    const { settings, clock, schedules } = this.#engine;
    await clock.sync();
    const nextTick = await schedules.look();
    await this.#sweep();
    const { Next } = this.#free > 0 ? await this.#claim() : { Next: null };
    const next = Math.min(nextTick, this.#free > 0 ? Next ?? Infinity : Infinity);
    if (!this.#isStopping) await this.#rest.wait(Math.min(next - clock.now(), settings.PollEvery));
  }

  /** Returns the number of jobs that can start now. */
  get #free(): number {
    return this.#engine.settings.Concurrency - this.#attempts.size;
  }

  async #claim(): Promise<Claimed> {
    const { store, settings, clock, handlers } = this.#engine;
    const Now = clock.now();
    const claimed = await store.Claim({
      Queue: settings.Name,
      Names: [...handlers.keys()],
      Count: this.#free,
      Now,
      LeaseUntil: Now + settings.Lease,
      Limits: { MaxRunning: settings.MaxRunning, Rate: settings.Rate },
      GroupLimits: settings.PerGroup ?? {},
    });
    for (const job of claimed.Expired) this.#engine.failed(job, new Error(leaseExpired));
    for (const job of claimed.Jobs) this.#start(job);
    return claimed;
  }

  #start(job: JobRecord): void {
    const attempt = new Attempt(job, this.#engine.settings.Lease);
    this.#attempts.set(job.ID, attempt);
    this.#count++;
    // A process that is shutting down gives back the jobs that it has just claimed.
    if (this.#isStopping) this.#end({ attempt, ending: released(job) });
    else void this.#attempt(attempt);
  }

  async #attempt(attempt: Attempt): Promise<void> {
    const { store, settings, handlers } = this.#engine;
    const { job, signal } = attempt;
    const ctx = new Context({ job, signal, store, logger: this.#engine.logger() });
    const handler = handlers.get(job.Name) as Handler;
    try {
      const result = await attempt.finish(this.#engine.run(ctx, handler, job), settings.Timeout);
      const KeepUntil = this.#engine.clock.now() + settings.KeepDone;
      const Result = result === undefined ? null : toJSON(result);
      this.#end({ attempt, ending: { ...claimOf(job), State: "done", Result, KeepUntil } });
    } catch (thrown) {
      this.#end(this.#failure(attempt, toError(thrown)));
    }
  }

  #failure(attempt: Attempt, error: Error): Ended {
    const { settings, settings: { KeepFailed }, clock } = this.#engine;
    const { job, reason } = attempt;
    if (reason === "stopped") return { attempt, ending: released(job) };
    const claim = { ...claimOf(job), Error: textOf(error) };
    const last = { ...claim, KeepUntil: KeepFailed === undefined ? null : clock.now() + KeepFailed };
    if (reason === "canceled") return { attempt, ending: { ...last, State: "canceled" } };
    const isLast = job.Attempt >= job.MaxAttempts || error instanceof PermanentError;
    if (isLast) return { attempt, ending: { ...last, State: "failed" }, error };
    const delay = delayOf(settings, job.Attempt, error, (cause) => {
      loggerOf(this.#engine.logger(), job).Error("Cannot use the option Backoff of a job queue:", cause);
    });
    return { attempt, ending: { ...claim, State: "waiting", Due: clock.now() + delay }, error };
  }

  #end(ended: Ended): void {
    // The claim is lost, so the end of this attempt does not matter.
    if (ended.attempt.reason === "lost") return this.#forget(ended.attempt);
    this.#ended.push(ended);
    // Jobs that end together are written together. Microtasks run after those of the other jobs.
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    while (this.#ended.length > 0) {
      const batch = this.#ended.splice(0);
      await this.#outage.watch(() => this.#write(batch), this.#rest, () => {
        // At the end of a shutdown, the leases expire instead.
        if (performance.now() < this.#deadline) this.#ended.unshift(...batch);
        else for (const { attempt } of batch) this.#forget(attempt);
      });
    }
    this.#flushing = undefined;
    this.wake();
  }

  async #write(batch: readonly Ended[]): Promise<void> {
    const { store, clock } = this.#engine;
    const valid = await store.Finish(batch.map(({ ending }) => ending), clock.now());
    for (const [i, { attempt, ending, error }] of batch.entries()) {
      this.#forget(attempt);
      const logger = () => loggerOf(this.#engine.logger(), attempt.job);
      const delay = (ending.Due ?? 0) - clock.now();
      if (valid[i] !== true) logger().Warn("A job may have run twice: another process has claimed it");
      else if (ending.State === "failed") this.#engine.failed(attempt.job, error as Error);
      else if (error !== undefined) logger().Warn(`A job has failed and will be retried in ${delay} ms:`, error);
    }
  }

  #forget({ job }: Attempt): void {
    if (this.#attempts.get(job.ID)?.job === job) this.#attempts.delete(job.ID);
    if (this.#attempts.size === 0) this.wake();
  }

  #notified(): void {
    this.wake();
    if (this.#attempts.size > 0 && performance.now() > this.#renewAt) void this.renew();
  }

  /** Renews all leases. Aborts the jobs whose lease was lost or that were canceled. */
  async renew(): Promise<void> {
    const attempts = [...this.#attempts.values()].filter(({ reason }) => reason !== "lost");
    if (attempts.length === 0) return;
    const { store, settings: { Lease: lease }, clock } = this.#engine;
    this.#renewAt = performance.now() + renewedAtMost;
    const leaseEnd = performance.now() + lease;
    try {
      const renewals = await store.Renew(attempts.map(({ job }) => claimOf(job)), clock.now() + lease);
      for (const [i, attempt] of attempts.entries()) {
        // The attempt may have ended in the meantime.
        if (!this.#attempts.has(attempt.job.ID)) continue;
        if (renewals[i] === "lost") attempt.abort("lost");
        else attempt.leaseEnd = leaseEnd;
        if (renewals[i] === "canceled") attempt.abort("canceled");
      }
    } catch (error) {
      this.#outage.report(error);
      for (const attempt of attempts) if (attempt.leaseEnd < performance.now()) attempt.abort("lost");
    }
  }

  async #sweep(): Promise<void> {
    if (performance.now() < this.#sweepAt) return;
    const swept = await this.#engine.store.Sweep(this.#engine.clock.now());
    this.#sweepAt = performance.now() + (swept > 0 ? sweepEvery / 100 : sweepEvery);
  }

  /** Waits until no job is running. */
  async #idle(): Promise<void> {
    while (this.#attempts.size > 0 || this.#flushing !== undefined) await this.#rest.wait(1_000);
  }

  /** Finishes the running jobs, and gives back the rest at the deadline. */
  async #finishAll(): Promise<void> {
    while (this.#attempts.size > 0 && performance.now() < this.#deadline) {
      await this.#rest.wait(Math.min(1_000, this.#deadline - performance.now()));
    }
    for (const attempt of this.#attempts.values()) attempt.abort("stopped");
    await this.#idle();
  }
}

function claimOf({ ID, Token }: JobRecord): { ID: string; Token: number } {
  return { ID, Token };
}

function released(job: JobRecord): Ending {
  return { ...claimOf(job), State: "waiting", IsReleased: true, Due: job.Due };
}

/** Returns the text of an error for the store. SQLite and PostgreSQL cannot store the character NUL. */
function textOf(error: Error): string {
  return (error.stack ?? String(error)).replaceAll("\0", "").slice(0, longestError);
}
