/**
 * The context of a running job.
 *
 * @module
 */

import { encodeMarked } from "../../base/codec/stored.ts";
import type { Logger } from "../../base/log/logger.ts";
import { carriedLabels, carriedReader } from "../../core/context/carried.ts";
import { disposerOf } from "../../core/context/provided.ts";
import { Values } from "../../core/exchange/values.ts";
import type { JobRecord, Store } from "./store.ts";
import { traceOf, valuesOf } from "./stored_part.ts";

/** An error after which a job is not retried. */
export class PermanentError extends Error {
  /** The name of the class. */
  override readonly name: string = "PermanentError";
}

/** The parts of a queue that a context uses. */
export interface ContextParts {
  readonly job: JobRecord;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly store: Store;
  /** Disposes of the values. */
  readonly ends: AsyncDisposableStack;
  /** The application that the queue runs with, if there is one. */
  readonly app?: object | undefined;
}

/** The context of a running job. */
export class Context {
  readonly #parts: ContextParts;
  #logger: Logger | undefined = undefined;
  #values: Values | undefined = undefined;
  /** The ID of the job. */
  readonly ID: string;
  /**
   * The key of the job if it was added with one, and otherwise its ID. The key is the same in all attempts, so a
   * handler can use it to recognize work that an earlier attempt has done.
   */
  readonly Key: string;
  /** The name of the job. */
  readonly Name: string;
  /** The name of the queue. */
  readonly Queue: string;
  /** The number of this attempt, starting with 1. */
  readonly Attempt: number;
  /** Whether the job fails for good if this attempt fails. */
  readonly IsLastAttempt: boolean;
  /** A number that increases whenever the job is claimed. Other systems can use it to reject an outdated claim. */
  readonly Token: number;
  /** The time at which the job became due. For a scheduled job, the time of the tick. */
  readonly Due: Date;
  /** The number of failed jobs in the batch that this job has waited for, see `AddBatch`. */
  readonly FailedInBatch: number;
  /** The trace in which the job was added, as a `traceparent` header, or `null`. */
  readonly Trace: string | null;
  /**
   * A signal that is aborted if the job should stop: because it was canceled, takes too long, has been claimed by
   * another process, or because the process is shutting down.
   */
  readonly Signal: AbortSignal;

  /**
   * Created by a queue.
   *
   * @ignore
   */
  constructor(parts: ContextParts) {
    const { job, signal } = parts;
    this.#parts = parts;
    this.ID = job.ID;
    this.Key = job.Key ?? job.ID;
    this.Name = job.Name;
    this.Queue = job.Queue;
    this.Attempt = job.Attempt;
    this.IsLastAttempt = job.Attempt >= job.MaxAttempts;
    this.Token = job.Token;
    this.Due = new Date(job.Due);
    this.FailedInBatch = job.FailedInBatch;
    this.Trace = traceOf(job.Trace);
    this.Signal = signal;
  }

  /**
   * Returns the logger. Its lines include the name, the ID and the attempt of the job, and the labels of the call that
   * has added it, if the call carries values for jobs.
   *
   * @returns The logger.
   */
  Logger(): Logger {
    return this.#logger ??= loggerOf(this.#parts.logger, this.#parts.job);
  }

  /**
   * Returns the values that middleware shares with the job. They include the values that extensions have provided, with
   * `Carry`, for the call that has added the job.
   *
   * @returns The values.
   */
  Values(): Values {
    const { job: { Trace }, app } = this.#parts;
    return this.#values ??= new Values(carriedReader(valuesOf(Trace), app, (value) => this.#disposeOf(value)));
  }

  /**
   * Stores the progress of the job, for `Get` and the page of the queue.
   *
   * @param progress The progress, of the same kinds as the data of a job.
   * @returns `false` if the job has been claimed by another process.
   * @throws {FrameworkError} If a part of the progress cannot be stored.
   */
  async Progress(progress: unknown): Promise<boolean> {
    const { ID, Token } = this;
    const text = encodeMarked(progress, { act: "report the progress", root: "Progress", code: "FW_JOB" });
    return await this.#parts.store.Progress({ ID, Token }, text);
  }

  #disposeOf(value: unknown): void {
    const report = (error: unknown) => this.Logger().Error("Cannot dispose of a value of a job:", error);
    const dispose = disposerOf(value, report);
    this.#parts.ends.defer(() => Promise.try(dispose).catch(report));
  }
}

/** Returns a logger whose lines identify an attempt. */
export function loggerOf(logger: Logger, { Queue, Name, ID, Attempt, Trace }: JobRecord): Logger {
  return logger.With({ ...carriedLabels(valuesOf(Trace)), queue: Queue, job: Name, job_id: ID, attempt: Attempt });
}
