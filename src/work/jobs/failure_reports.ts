/**
 * Reports jobs that have failed for good to the observers of a queue. If the process crashes before, another one does.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { OperatedQueue } from "./adding.ts";
import { type QueueClock, timeAfter } from "./clock.ts";
import type { Settings } from "./config.ts";
import { loggerOf } from "./context.ts";
import { infoOf, type JobInfo } from "./job.ts";
import type { JobRecord } from "./store.ts";

/**
 * A function that is called for jobs that have failed for good. Nothing waits for it, and its errors are logged. It is
 * called at least once per job: if the process crashes before the function has ended, another process calls it.
 *
 * @param job The job, with its final state.
 * @param error The error of the last attempt. If another process has run the job, it only has the stored message.
 */
export type FailureObserver = (job: JobInfo, error: Error) => unknown;

/** The parts of a queue that its other parts use. */
export interface QueueParts extends OperatedQueue {
  readonly settings: Settings;
  readonly clock: QueueClock;
  logger(): Logger;
}

/** The reports of a queue. */
export class FailureReports {
  readonly observers: FailureObserver[] = [];
  readonly #queue: QueueParts;
  #reported: string[] = [];
  #writing: Promise<void> | undefined = undefined;

  constructor(queue: QueueParts) {
    this.#queue = queue;
  }

  /** Returns the time after which a job that fails now is reported again, or `null` without observers. */
  nextAt(): number | null {
    return this.observers.length === 0 ? null : timeAfter(this.#queue.clock.now(), this.#queue.settings.Lease);
  }

  /** Reports a job. If no error is passed, another process should have reported it. */
  report(job: JobRecord, error?: Error): void {
    const logger = this.#queue.logger();
    if (error !== undefined) loggerOf(logger, job).Error("A job has failed for good:", error);
    if (this.observers.length === 0) return;
    const fail = (thrown: unknown) => logger.Error("Cannot run an observer of failed jobs:", thrown);
    const running = this.observers.map((observe) => notify(() => observe(infoOf(job), error ?? errorOf(job)), fail));
    if (running.some((each) => each !== undefined)) void Promise.all(running).then(() => this.#note(job));
    else this.#note(job);
  }

  /** Reports the jobs that other processes should have reported. */
  async recover(): Promise<void> {
    const until = this.nextAt();
    if (until === null) return;
    const { store, settings, clock } = this.#queue;
    for (const job of await store.Unreported(settings.Name, clock.now(), until)) this.report(job);
  }

  /** Waits until all reports are recorded. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  #note({ ID }: JobRecord): void {
    this.#reported.push(ID);
    this.#writing ??= Promise.resolve().then(() => this.#write());
  }

  async #write(): Promise<void> {
    try {
      while (this.#reported.length > 0) await this.#queue.store.Reported(this.#reported.splice(0));
    } catch (error) {
      // They are reported again.
      this.#queue.logger().Error("Cannot record the report of a failed job:", error);
    } finally {
      this.#writing = undefined;
    }
  }
}

/** Returns the stored error of a job. */
export function errorOf({ Error: text }: JobRecord): Error {
  const [message = ""] = (text ?? "").split("\n");
  return Object.assign(new Error(message.replace(/^\w*Error: /, "")), { stack: text ?? "" });
}
