/**
 * An attempt to run a job.
 *
 * @module
 */

import { callNow, isTime } from "../../base/async/callback.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { NewSpan } from "../../core/exchange/span.ts";
import { timeAfter } from "./clock.ts";
import { defaultBackoff } from "./config.ts";
import { type Context, loggerOf, PermanentError } from "./context.ts";
import type { FailureReports, QueueParts } from "./failure_reports.ts";
import type { Claim, Ending, JobRecord } from "./store.ts";

/** The kind of spans that process messages. */
const consumer = 4;

/** Describes the span of a job. It belongs to the trace in which the job was added. */
export function spanOf(ctx: Context): NewSpan {
  const attributes = {
    "messaging.destination.name": ctx.Queue,
    "messaging.message.id": ctx.ID,
    "messaging.operation.name": ctx.Name,
    "fw.job.attempt": ctx.Attempt,
  };
  return { name: `job ${ctx.Name}`, kind: consumer, attributes, trace: ctx.Trace, isFailure: () => true };
}

/** The reason why an attempt was aborted. */
export type AbortReason = "canceled" | "lost" | "stopped" | "timeout";

const messages: Readonly<Record<AbortReason, string>> = {
  canceled: "The job was canceled",
  lost: "The lease was lost: another process may run the job",
  stopped: "The process is shutting down",
  timeout: "The attempt takes too long",
};

/** The time for which a handler may react to its signal before the attempt ends without it, in milliseconds. */
const reactionTime = 5_000;
const shortReactionTime = 200;

/** An attempt in this process. */
export class Attempt {
  readonly job: JobRecord;
  /** The time at which the lease expires, as measured by `performance.now()`. */
  leaseEnd: number;
  reason: AbortReason | undefined = undefined;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  #abandon: ((error: Error) => void) | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(job: JobRecord, lease: number) {
    this.job = job;
    this.leaseEnd = performance.now() + lease;
  }

  /** Aborts the signal. If the handler does not react, the attempt ends without it. */
  abort(reason: AbortReason): void {
    if (this.reason !== undefined && reason !== "stopped") return;
    this.reason ??= reason;
    clearTimeout(this.#timer);
    const error = new FrameworkError(reason === "timeout" ? "FW_TIMEOUT" : "FW_JOB", messages[this.reason]);
    this.#controller.abort(error);
    // A lost job belongs to another process, so nothing waits for its handler.
    const time = reason === "lost" ? 0 : reason === "stopped" ? shortReactionTime : reactionTime;
    this.#timer = setTimeout(() => this.#abandon?.(error), time);
  }

  /**
   * Waits for a handler.
   *
   * @param running The result of the handler.
   * @param timeout The time limit, in milliseconds.
   * @returns The result. Rejects if the handler fails, or if it does not react to its signal.
   */
  async finish(running: Promise<unknown>, timeout: number | undefined): Promise<unknown> {
    if (timeout !== undefined) this.#timer = setTimeout(() => this.abort("timeout"), timeout);
    try {
      return await new Promise((resolve, reject) => {
        this.#abandon = reject;
        running.then(resolve, reject);
      });
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

/** The end of an attempt, to be written. */
export interface Ended {
  readonly attempt: Attempt;
  readonly ending: Ending;
  readonly error?: Error;
}

/** The maximum length of a stored error. */
const longestError = 4_000;

/** Returns the end of an attempt that has failed or was aborted. */
export function failureOf(
  { settings, clock, logger, reports }: QueueParts & { readonly reports: FailureReports },
  attempt: Attempt,
  error: Error,
): Ended {
  const { job, reason } = attempt;
  if (reason === "stopped") return { attempt, ending: released(job) };
  const claim = { ...claimOf(job), Error: textOf(error) };
  const last = { ...claim, KeepUntil: timeAfter(clock.now(), settings.KeepFailed) };
  if (reason === "canceled") return { attempt, ending: { ...last, State: "canceled" } };
  if (job.Attempt >= job.MaxAttempts || error instanceof PermanentError) {
    return { attempt, ending: { ...last, State: "failed", ReportAt: reports.nextAt() }, error };
  }
  const delay = callNow(() => settings.Backoff(job.Attempt, error), isDelay, (cause) => {
    loggerOf(logger(), job).Error("Cannot use the option Backoff of a job queue:", cause);
    return defaultBackoff(job.Attempt);
  });
  return { attempt, ending: { ...claim, State: "waiting", Due: clock.now() + Math.round(delay) }, error };
}

/** Returns the text of an error to store. A property of an error can be any value, and reading it can fail. */
function textOf(error: Error): string {
  let text = "An error that cannot be shown";
  try {
    text = String(error.stack ?? error);
  } catch {
    // The job has failed all the same.
  }
  // SQLite and PostgreSQL cannot store the character NUL.
  return text.replaceAll("\0", "").slice(0, longestError);
}

/** Reports whether a value is a delay of at most one year. */
function isDelay(value: unknown): value is number {
  return isTime(value) && value <= 365 * 86_400_000;
}

/** Returns the claim of a job. */
export function claimOf({ ID, Token }: JobRecord): Claim {
  return { ID, Token };
}

/** Returns the end of an attempt that does not count. */
export function released(job: JobRecord): Ending {
  return { ...claimOf(job), State: "waiting", IsReleased: true, Due: job.Due };
}

/** Returns a job as it is stored after its last attempt. */
export function finalOf(job: JobRecord, { Error = null }: Ending, now: number): JobRecord {
  return { ...job, State: "failed", Error, LeaseUntil: null, Finished: now, Crashes: 0 };
}
