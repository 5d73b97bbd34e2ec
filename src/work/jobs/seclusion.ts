/**
 * Lets jobs whose process has crashed run alone, so that the job that crashes processes is found.
 *
 * @module
 */

import type { Settings } from "./config.ts";
import type { Claimed, ClaimRequest, JobRecord } from "./store.ts";

/** The number of jobs in this process that run or are being claimed, of all queues. */
let busy = 0;
/** The workers of this process. */
const workers = new Set<Seclusion>();

/**
 * The place of a worker among those of its process. A job whose lease has expired waits until the process is idle, and
 * other jobs wait for its end, so a crash is its own. Each crash doubles the patience: a job that runs for long delays
 * others for a time only, but one that crashes after an hour is found as well.
 */
export class Seclusion {
  readonly #settings: Settings;
  readonly #wake: () => void;
  /** The number of crashes of the next job to run alone. */
  #crashes = 0;
  /** The time until which the worker waits for the other jobs, as measured by `performance.now()`. */
  #waitsUntil = 0;
  /** The job that has crashed and is running. */
  #job: JobRecord | undefined = undefined;
  /** The time until which the job is alone. */
  #aloneUntil = 0;
  /** Whether no other job of the process may start. */
  #isAlone = false;

  constructor(settings: Settings, wake: () => void) {
    this.#settings = settings;
    this.#wake = wake;
    workers.add(this);
  }

  /** Reports whether a job waits to run alone, and can be claimed now. */
  get isWanted(): boolean {
    return this.#crashes > 0 && this.#job === undefined && (busy === 0 || performance.now() >= this.#waitsUntil);
  }

  /**
   * Returns the jobs to claim.
   *
   * @param share Tells the store that a job is no longer alone.
   * @returns A part of the claim, or `undefined` if no job must start now.
   */
  async next(share: (job: JobRecord) => unknown): Promise<Partial<ClaimRequest> | undefined> {
    const now = performance.now();
    if (this.#isAlone && this.#job !== undefined && now >= this.#aloneUntil) {
      await share(this.#job);
      this.#isAlone = false;
    }
    if (workers.values().some((worker) => worker.#isAlone)) return undefined;
    // With one worker and one job at a time, each job is alone.
    if (this.#settings.Concurrency === 1 && workers.size === 1) return { IsAlone: true };
    if (this.isWanted) return { Crashed: "only", Count: 1, IsAlone: this.#isAlone = busy === 0 };
    return this.#crashes > 0 && this.#job === undefined ? undefined : { Crashed: "exclude" };
  }

  /** Claims jobs. */
  async claim(run: () => Claimed | PromiseLike<Claimed>): Promise<Claimed> {
    const isOnly = this.isWanted;
    let claimed: Claimed | undefined;
    busy++;
    try {
      claimed = await run();
      const crashes = isOnly && claimed.Jobs.length === 0 || this.#settings.Concurrency === 1 ? 0 : claimed.Crashes;
      if (this.#crashes === 0) this.#waitsUntil = performance.now() + this.#patience(crashes);
      this.#crashes = crashes;
      return claimed;
    } finally {
      busy--;
      if (this.#job === undefined && (claimed?.Jobs.length ?? 0) === 0) this.#isAlone = false;
    }
  }

  /** Notes the start of a job. */
  begin(job: JobRecord): void {
    if (job.Crashes > 0) {
      this.#job = job;
      this.#aloneUntil = performance.now() + this.#patience(job.Crashes);
    }
    busy++;
  }

  /** Notes the end of a job. */
  end(job: JobRecord): void {
    busy--;
    if (this.#job === job) {
      this.#job = undefined;
      this.#isAlone = false;
    }
    if (busy === 0) { for (const worker of workers) worker.#wake(); }
  }

  /** Removes the worker, at its end. */
  leave(): void {
    workers.delete(this);
  }

  #patience(crashes: number): number {
    return this.#settings.Lease * 2 ** Math.min(crashes - 1, 16);
  }
}
