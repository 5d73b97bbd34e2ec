/**
 * Claims jobs, runs them and reports how they ended.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { toError } from "../../base/errors/to_error.ts";
import type { Logger } from "../../base/log/logger.ts";
import { Attempt } from "./attempt.ts";
import type { QueueClock } from "./clock.ts";
import { delayOf, type Settings } from "./config.ts";
import { Context, loggerOf, PermanentError } from "./context.ts";
import type { Handler } from "./handler.ts";
import { Outage, Rest } from "./outage.ts";
import type { FailureReports } from "./failure_reports.ts";
import type { Schedules } from "./schedules.ts";
import { Seclusion } from "./seclusion.ts";
import { type Claimed, type ClaimRequest, type Ending, type JobRecord, leaseExpired, type Store } from "./store.ts";
import { endingOf } from "./stored_part.ts";

/** The parts of a queue that its worker uses. */
export interface Engine {
  readonly store: Store;
  readonly settings: Settings;
  readonly clock: QueueClock;
  readonly schedules: Schedules;
  readonly handlers: ReadonlyMap<string, Handler>;
  logger(): Logger;
  /** Returns the application that the queue runs with, if there is one. */
  app(): object | undefined;
  /** Runs a job through the middleware. */
  run(ctx: Context, handler: Handler, job: JobRecord): Promise<unknown>;
  /** Reports jobs that have failed for good. */
  readonly reports: FailureReports;
}

/** The end of an attempt, to be written. */
interface Ended {
  readonly attempt: Attempt;
  readonly ending: Ending;
  readonly error?: Error;
}

/** The shortest time between renewals that notifications cause, in milliseconds. */
const renewedAtMost = 200;
/** The time after a claim within which a job starts, in milliseconds. A rate counts its end as the start. */
const startsWithin = 20;
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
  readonly #seclusion: Seclusion;
  #isStopping = false;
  #isQuiet = false;
  #renewing: ReturnType<typeof setTimeout> | undefined = undefined;
  #deadline = Infinity;
  #renewAt = 0;
  #sweepAt = 0;
  #breatheAt = 0;
  #count = 0;
  #running = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#outage = new Outage(() => engine.logger());
    this.#seclusion = new Seclusion(engine.settings, () => this.wake());
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
      await this.#engine.reports.recover();
      const { Jobs } = await this.#claim();
      await this.#idle();
      isIdle = Jobs.length === 0 && !this.#seclusion.isWanted;
    }
    await this.#engine.reports.settle();
    return this.#count;
  }

  /** Stops claiming jobs, and resolves when none is running. */
  async quiet(): Promise<void> {
    this.#isQuiet = true;
    await this.#idle();
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
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        clearTimeout(this.#renewing);
        this.#seclusion.leave();
      },
    };
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
    const canClaim = () => this.#free > 0 && !this.#isQuiet;
    const { Next } = canClaim() ? await this.#claim() : { Next: null };
    const next = Math.min(nextTick, canClaim() ? Next ?? Infinity : Infinity);
    if (!this.#isStopping) await this.#rest.wait(Math.min(next - clock.now(), settings.PollEvery));
  }

  /**
   * Returns the number of jobs that can start now. Others are claimed while the ends of jobs are written, unless the
   * store cannot write them.
   */
  get #free(): number {
    const { Concurrency } = this.#engine.settings;
    return Math.min(Concurrency - this.#running, 2 * Concurrency - this.#attempts.size);
  }

  async #claim(): Promise<Claimed> {
    const { store, settings, clock, handlers, reports } = this.#engine;
    const crowd = await this.#seclusion.next((job) =>
      store.Renew([{ ...claimOf(job), IsShared: true }], this.#leaseEnd)
    );
    if (crowd === undefined) return { Jobs: [], Expired: [], Next: null, Crashes: 0 };
    const Now = clock.now();
    const request: ClaimRequest = {
      Queue: settings.Name,
      Names: [...handlers.keys()],
      Count: this.#free,
      Now,
      LeaseUntil: Now + settings.Lease,
      Limits: { MaxRunning: settings.MaxRunning, Rate: settings.Rate },
      GroupLimits: settings.PerGroup ?? {},
      StartsAt: Now + startsWithin,
      ReportAt: reports.nextAt(),
      ...crowd,
    };
    const claimed = await this.#seclusion.claim(() => store.Claim(request));
    for (const job of claimed.Expired) reports.report(job, new Error(leaseExpired));
    await this.#correctStart(request, claimed.Jobs);
    for (const job of claimed.Jobs) this.#start(job);
    return this.#seclusion.isWanted ? { ...claimed, Next: Now } : claimed;
  }

  /** Tells the store if jobs start later than their claim has announced, because a rate counts starts. */
  async #correctStart(request: ClaimRequest, jobs: readonly JobRecord[]): Promise<void> {
    const { store, settings: { Rate, PerGroup }, clock } = this.#engine;
    if (jobs.length === 0 || (Rate ?? PerGroup?.Rate) === undefined || clock.now() <= (request.StartsAt ?? 0)) return;
    await store.Started(request, jobs.map(({ Group }) => Group), clock.now() + startsWithin);
  }

  get #leaseEnd(): number {
    return this.#engine.clock.now() + this.#engine.settings.Lease;
  }

  #start(job: JobRecord): void {
    const attempt = new Attempt(job, this.#engine.settings.Lease);
    this.#attempts.set(job.ID, attempt);
    this.#seclusion.begin(job);
    this.#count++;
    this.#running++;
    // A process that is shutting down gives back the jobs that it has just claimed.
    if (this.#isStopping) this.#end({ attempt, ending: released(job) });
    else void this.#attempt(attempt);
  }

  async #attempt(attempt: Attempt): Promise<void> {
    const { store, settings, handlers } = this.#engine;
    const { job, signal } = attempt;
    const ctx = new Context({ job, signal, store, logger: this.#engine.logger(), app: this.#engine.app() });
    const handler = handlers.get(job.Name) as Handler;
    try {
      const result = await attempt.finish(this.#engine.run(ctx, handler, job), settings.Timeout);
      const KeepUntil = this.#engine.clock.now() + settings.KeepDone;
      const stored = endingOf(result);
      if (stored.Error !== undefined) ctx.Logger().Error(`${stored.Error}. The job is done and does not run again`);
      this.#end({ attempt, ending: { ...claimOf(job), State: "done", ...stored, KeepUntil } });
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
    const ReportAt = this.#engine.reports.nextAt();
    if (isLast) return { attempt, ending: { ...last, State: "failed", ReportAt }, error };
    const delay = delayOf(settings, job.Attempt, error, (cause) => {
      loggerOf(this.#engine.logger(), job).Error("Cannot use the option Backoff of a job queue:", cause);
    });
    return { attempt, ending: { ...claim, State: "waiting", Due: clock.now() + delay }, error };
  }

  #end(ended: Ended): void {
    this.#running--;
    // The claim is lost, so the end of this attempt does not matter.
    if (ended.attempt.reason === "lost") return this.#forget(ended.attempt);
    this.#ended.push(ended);
    // Jobs that end together are written together. Microtasks run after those of the other jobs.
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    while (this.#ended.length > 0) {
      const batch = this.#ended.splice(0);
      this.wake();
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
      else if (ending.State === "failed") this.#engine.reports.report(finalOf(attempt.job, ending, clock.now()), error);
      else if (error !== undefined) logger().Warn(`A job has failed and will be retried in ${delay} ms:`, error);
    }
  }

  #forget({ job }: Attempt): void {
    if (this.#attempts.get(job.ID)?.job === job) {
      this.#attempts.delete(job.ID);
      this.#seclusion.end(job);
    }
    if (this.#attempts.size === 0) this.wake();
  }

  #notified(): void {
    this.wake();
    // A job may have been canceled.
    if (this.#attempts.size === 0 || this.#renewing !== undefined) return;
    this.#renewing = setTimeout(() => void this.renew(), Math.max(0, this.#renewAt - performance.now()));
  }

  /** Renews all leases. Aborts the jobs whose lease was lost or that were canceled. */
  async renew(): Promise<void> {
    clearTimeout(this.#renewing);
    this.#renewing = undefined;
    const attempts = [...this.#attempts.values()].filter(({ reason }) => reason !== "lost");
    if (attempts.length === 0) return;
    const { store, settings: { Lease: lease } } = this.#engine;
    this.#renewAt = performance.now() + renewedAtMost;
    const leaseEnd = performance.now() + lease;
    try {
      const renewals = await store.Renew(attempts.map(({ job }) => claimOf(job)), this.#leaseEnd);
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
    await this.#engine.reports.recover();
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
    await this.#engine.reports.settle();
  }
}

function claimOf({ ID, Token }: JobRecord): { ID: string; Token: number } {
  return { ID, Token };
}

function released(job: JobRecord): Ending {
  return { ...claimOf(job), State: "waiting", IsReleased: true, Due: job.Due };
}

/** Returns a job as it is stored after its last attempt. */
function finalOf(job: JobRecord, { Error = null }: Ending, now: number): JobRecord {
  return { ...job, State: "failed", Error, LeaseUntil: null, Finished: now, Crashes: 0 };
}

/** Returns the text of an error for the store. SQLite and PostgreSQL cannot store the character NUL. */
function textOf(error: Error): string {
  return (error.stack ?? String(error)).replaceAll("\0", "").slice(0, longestError);
}
