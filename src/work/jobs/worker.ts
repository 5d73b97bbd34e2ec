/**
 * Claims jobs, runs them and reports how they ended.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { toError } from "../../base/errors/to_error.ts";
import { Attempt, claimOf, type Ended, failureOf, finalOf, released } from "./attempt.ts";
import { timeAfter } from "./clock.ts";
import { loggerOf } from "./context.ts";
import { Rest } from "./rest.ts";
import { errorOf, type FailureReports, type QueueParts } from "./failure_reports.ts";
import type { Schedules } from "./schedules.ts";
import { Seclusion } from "./seclusion.ts";
import type { Claimed, ClaimRequest, JobRecord, Store } from "./store.ts";
import { endingOf } from "./stored_part.ts";

/** The parts of a queue that its worker uses. */
export interface Engine extends QueueParts {
  readonly schedules: Schedules;
  /** The jobs that can run, by name. */
  readonly handlers: ReadonlyMap<string, unknown>;
  /** Reports jobs that have failed for good. */
  readonly reports: FailureReports;
  /** Runs a job through the middleware. */
  run(job: JobRecord, signal: AbortSignal): Promise<unknown>;
}

/** The shortest time between renewals that notifications cause, in milliseconds. */
const renewedAtMost = 200;
/** The time after a claim within which a job starts, in milliseconds. A rate counts its end as the start. */
const startsWithin = 20;
const sweepEvery = 10_000;
/** The longest time for which jobs may delay other work in the process if they do not wait for anything. */
const longestTurn = 10;

/** Runs the jobs of a queue in this process. */
export class Worker {
  readonly #engine: Engine;
  readonly #attempts = new Map<string, Attempt>();
  readonly #rest: Rest;
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
  /** The number of jobs that are being claimed. */
  #asked = 0;
  /** The outcome of the last claim that was made together with a write. */
  #claimed: Claimed | undefined = undefined;
  /** The number of notifications. */
  #changes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#rest = new Rest(() => engine.logger());
    this.#seclusion = new Seclusion(engine.settings, () => this.wake());
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#rest.wake();
  }

  /** Runs jobs until {@linkcode stop} is called. */
  async run(): Promise<void> {
    await using ends = new AsyncDisposableStack();
    ends.defer(await this.#watch());
    ends.use(this.#startRenewing());
    while (!this.#isStopping) {
      await this.#rest.watch(() => this.#turn());
      await this.#breathe();
    }
    await this.#finishAll();
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
    const ends = new DisposableStack();
    ends.adopt(setInterval(() => this.renew(), this.#engine.settings.Lease / 3), clearInterval);
    ends.defer(() => clearTimeout(this.#renewing));
    ends.defer(() => this.#seclusion.leave());
    return ends;
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
    const { Next } = this.#claimed ?? await this.#claim();
    this.#claimed = undefined;
    const next = Math.min(nextTick, this.#free > 0 ? Next ?? Infinity : Infinity);
    if (!this.#isStopping) await this.#rest.wait(Math.min(next - clock.now(), settings.PollEvery));
  }

  /**
   * Returns the number of jobs that can be claimed now. Others start while the ends of jobs are written, unless the
   * store cannot write them.
   */
  get #free(): number {
    const { Concurrency } = this.#engine.settings;
    const free = Math.min(Concurrency - this.#running, 2 * Concurrency - this.#attempts.size) - this.#asked;
    return this.#isQuiet || this.#isStopping ? 0 : free;
  }

  /** Claims jobs, and starts them. */
  async #claim(claim = (request: ClaimRequest) => this.#engine.store.Claim(request)): Promise<Claimed> {
    const { store, settings, clock, handlers, reports } = this.#engine;
    const leaseEnd = () => timeAfter(clock.now(), settings.Lease);
    const share = (job: JobRecord) => store.Renew([{ ...claimOf(job), IsShared: true }], leaseEnd());
    const crowd = this.#free > 0 ? await this.#seclusion.next(share) : undefined;
    if (crowd === undefined || this.#free <= 0) return { Jobs: [], Expired: [], Next: null, Crashes: 0 };
    const Now = clock.now();
    const request: ClaimRequest = {
      Queue: settings.Name,
      Names: [...handlers.keys()],
      Count: this.#free,
      Now,
      LeaseUntil: leaseEnd(),
      Limits: { MaxRunning: settings.MaxRunning, Rate: settings.Rate },
      GroupLimits: settings.PerGroup ?? {},
      StartsAt: Now + startsWithin,
      ReportAt: reports.nextAt(),
      KeepUntil: timeAfter(Now, settings.KeepFailed),
      ...crowd,
    };
    this.#asked += request.Count;
    try {
      const claimed = await this.#seclusion.claim(() => claim(request));
      for (const job of claimed.Expired) reports.report(job, errorOf(job));
      // A rate counts starts, so the store has to know if they are later than the claim has announced.
      const isLate = (settings.Rate ?? settings.PerGroup?.Rate) !== undefined && clock.now() > Now + startsWithin;
      const groups = claimed.Jobs.map(({ Group }) => Group);
      if (isLate && groups.length > 0) await store.Started(request, groups, clock.now() + startsWithin);
      for (const job of claimed.Jobs) this.#start(job);
      return this.#seclusion.isWanted ? { ...claimed, Next: Now } : claimed;
    } finally {
      this.#asked -= request.Count;
    }
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
    const { settings, clock, logger } = this.#engine;
    const { job, signal } = attempt;
    try {
      const stored = endingOf(await attempt.finish(this.#engine.run(job, signal), settings.Timeout));
      // A handler that returns because of its signal has not done the whole job.
      signal.throwIfAborted();
      const KeepUntil = timeAfter(clock.now(), settings.KeepDone);
      const fault = stored.Error;
      if (fault !== undefined) loggerOf(logger(), job).Error(`${fault}. The job is done and does not run again`);
      this.#end({ attempt, ending: { ...claimOf(job), State: "done", ...stored, KeepUntil } });
    } catch (thrown) {
      this.#end(failureOf(this.#engine, attempt, toError(thrown)));
    }
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
      await this.#rest.watch(() => this.#write(batch), () => {
        // At the end of a shutdown, the leases expire instead.
        if (performance.now() < this.#deadline) this.#ended.unshift(...batch);
        else for (const { attempt } of batch) this.#forget(attempt);
      });
      await this.#breathe();
    }
    this.#flushing = undefined;
    this.wake();
  }

  /** Writes the ends of attempts. A store that can do both in one step claims the next jobs in the same call. */
  async #write(batch: readonly Ended[]): Promise<void> {
    const { store, clock } = this.#engine;
    const endings = batch.map(({ ending }) => ending);
    const changes = this.#changes;
    let isWritten = false;
    const claimed = store.FinishAndClaim && await this.#claim(async (request) => {
      const { Finished, Claimed } = await (store as Required<Store>).FinishAndClaim(endings, request);
      isWritten = true;
      this.#written(batch, Finished);
      return Claimed;
    });
    if (isWritten) return void (this.#claimed = changes === this.#changes ? claimed : undefined);
    this.wake();
    this.#written(batch, await store.Finish(endings, clock.now()));
  }

  #written(batch: readonly Ended[], valid: readonly boolean[]): void {
    const { clock, reports, logger } = this.#engine;
    for (const [i, { attempt, ending, error }] of batch.entries()) {
      this.#forget(attempt);
      const { job } = attempt;
      if (valid[i] !== true) loggerOf(logger(), job).Warn("A job may have run twice: another process has claimed it");
      else if (ending.State === "failed") reports.report(finalOf(job, ending, clock.now()), error);
      else if (error !== undefined) {
        const delay = Math.max(0, (ending.Due ?? 0) - clock.now());
        loggerOf(logger(), job).Warn(`A job has failed and will be retried in ${delay} ms:`, error);
      }
    }
  }

  #forget({ job }: Attempt): void {
    if (this.#attempts.get(job.ID)?.job === job) {
      this.#attempts.delete(job.ID);
      this.#seclusion.end(job);
    }
    if (this.#attempts.size === 0) this.#wakeUnlessWriting();
  }

  /**
   * Looks for jobs now, or when the ends of jobs have been written. The calls that write them claim the next jobs as
   * well, and a look after each of these calls would take 50 µs.
   */
  #wakeUnlessWriting(): void {
    if (this.#flushing === undefined || this.#engine.store.FinishAndClaim === undefined) this.wake();
  }

  #notified(): void {
    this.#claimed = undefined;
    this.#changes++;
    this.#wakeUnlessWriting();
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
    const { store, clock, settings: { Lease } } = this.#engine;
    this.#renewAt = performance.now() + renewedAtMost;
    const leaseEnd = performance.now() + Lease;
    try {
      const renewals = await store.Renew(attempts.map(({ job }) => claimOf(job)), timeAfter(clock.now(), Lease));
      for (const [i, attempt] of attempts.entries()) {
        // The attempt may have ended in the meantime.
        if (!this.#attempts.has(attempt.job.ID)) continue;
        if (renewals[i] === "lost") attempt.abort("lost");
        else attempt.leaseEnd = leaseEnd;
        if (renewals[i] === "canceled") attempt.abort("canceled");
      }
    } catch (error) {
      this.#rest.report(error);
      for (const attempt of attempts) if (attempt.leaseEnd < performance.now()) attempt.abort("lost");
    }
  }

  async #sweep(): Promise<void> {
    if (performance.now() < this.#sweepAt) return;
    await this.#engine.reports.recover();
    const swept = await this.#engine.store.Sweep(this.#engine.clock.now());
    this.#sweepAt = performance.now() + (swept > 0 ? sweepEvery / 250 : sweepEvery);
  }

  /** Waits until no job is running, at most for a time in milliseconds. */
  async #idle(time = () => Infinity): Promise<void> {
    while ((this.#attempts.size > 0 || this.#flushing !== undefined) && time() > 0) {
      await this.#rest.wait(Math.min(1_000, time()));
    }
  }

  /** Finishes the running jobs, and gives back the rest at the deadline. */
  async #finishAll(): Promise<void> {
    await this.#idle(() => this.#deadline - performance.now());
    for (const attempt of this.#attempts.values()) attempt.abort("stopped");
    await this.#idle();
    await this.#engine.reports.settle();
  }
}
