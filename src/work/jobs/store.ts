/**
 * The interface that job stores implement, and the records that they hold.
 *
 * A store never runs jobs and never reads a clock: the queue passes the current time with every call. All times are
 * milliseconds since 1970. All methods are atomic, may be called concurrently and by several processes, and take effect
 * before they return. A store that is temporarily unavailable rejects, and the queue tries again.
 *
 * @module
 */

import type { Awaitable } from "../../state/store/store.ts";

/**
 * The state of a job. A `waiting` job has not started, or waits for its next attempt. A `running` job has been claimed,
 * and its lease may have expired. A `failed` job has used all its attempts.
 */
export type JobState = "waiting" | "running" | "done" | "failed" | "canceled";

/** A job to add. */
export interface NewJob {
  /** The ID, which is unique across all queues. */
  readonly ID: string;
  /** The name of the queue. */
  readonly Queue: string;
  /** The name of the job's class or function. */
  readonly Name: string;
  /** The data as JSON. */
  readonly Data: string;
  /** The earliest time at which the job can start. */
  readonly Due: number;
  /** The priority. Jobs with a higher priority start first. */
  readonly Priority: number;
  /** The maximum number of attempts. */
  readonly MaxAttempts: number;
  /** The unique key. While a job with the same key holds it, no other one is added to the queue. */
  readonly Key: string | null;
  /** The time until which the job holds its key in any state. If `null`, it only holds the key while it is waiting. */
  readonly KeyUntil: number | null;
  /** The group whose limits apply to the job. */
  readonly Group: string | null;
  /**
   * The trace that the job continues, as a `traceparent` header. If the job has values of extensions, a space and the
   * values follow.
   */
  readonly Trace: string | null;
  /** The ID of the job that waits for the end of this one, or `null`. */
  readonly Batch?: string | null;
  /** The number of jobs whose end this one waits for. The job is not due before they have ended. */
  readonly Pending?: number;
}

/** A job in a store. */
export interface JobRecord extends Required<NewJob> {
  /** The state. */
  readonly State: JobState;
  /** The number of attempts that have started. */
  readonly Attempt: number;
  /** The number of times that the job has been claimed. It never decreases, so it identifies the current claim. */
  readonly Token: number;
  /** The time at which the current claim expires, or `null` if the job is not running. */
  readonly LeaseUntil: number | null;
  /** Whether the job was canceled while it was running. */
  readonly IsCanceled: boolean;
  /** The progress that the handler has reported, as JSON, or `null`. */
  readonly Progress: string | null;
  /** The return value of the handler as JSON, or `null`. */
  readonly Result: string | null;
  /** The error of the last attempt, or `null`. */
  readonly Error: string | null;
  /** The time at which the job was added. */
  readonly Added: number;
  /** The time at which the job was done, failed or canceled, or `null`. */
  readonly Finished: number | null;
  /** The position in the order of addition. Later jobs have higher numbers. */
  readonly Seq: number;
  /** The number of times that the job's lease has expired since an attempt last ended in another way. */
  readonly Crashes: number;
  /** The number of failed jobs in the batch that this job has waited for. */
  readonly FailedInBatch: number;
}

/** The outcome of adding a job. */
export interface Added {
  /** The ID of the new job, or of the job that holds its key. */
  readonly ID: string;
  /** Whether the job was added. `false` if another job holds its key. */
  readonly IsNew: boolean;
}

/** The number of jobs that may start within any period. */
export interface JobRate {
  /** The maximum number of starts. */
  readonly Limit: number;
  /** The period, in milliseconds. */
  readonly Period: number;
}

/** Limits for all processes together. */
export interface Limits {
  /** The maximum number of running jobs. */
  readonly MaxRunning?: number | undefined;
  /** The maximum number of starts. */
  readonly Rate?: JobRate | undefined;
}

/** A request for jobs to run. */
export interface ClaimRequest {
  /** The name of the queue. */
  readonly Queue: string;
  /** The names of the jobs that the process has handlers for. Other jobs are not claimed. */
  readonly Names: readonly string[];
  /** The maximum number of jobs to claim. */
  readonly Count: number;
  /** The current time. */
  readonly Now: number;
  /** The time at which the claims expire. */
  readonly LeaseUntil: number;
  /** The limits of the queue. */
  readonly Limits: Limits;
  /** The limits of each group. They do not apply to jobs without a group. */
  readonly GroupLimits: Limits;
  /** Whether jobs whose lease has expired are claimed: all of them, no others, or none. Defaults to `include`. */
  readonly Crashed?: "include" | "only" | "exclude";
  /** Whether the claimed job is the only one that the process runs. Only then does a crash use up an attempt. */
  readonly IsAlone?: boolean;
  /** The start of the claimed jobs, as used for rates. Defaults to the current time. */
  readonly StartsAt?: number;
  /** The time after which jobs in {@linkcode Claimed.Expired} are reported again, see {@linkcode Store.Unreported}. */
  readonly ReportAt?: number | null;
  /** The time after which jobs whose lease has expired and that do not run again may be deleted, or `null`. */
  readonly KeepUntil?: number | null;
}

/** The outcome of a claim. */
export interface Claimed {
  /** The claimed jobs, in the order in which they should start. */
  readonly Jobs: readonly JobRecord[];
  /** The jobs whose lease expired in their last attempt. They have failed now, and are reported only once. */
  readonly Expired: readonly JobRecord[];
  /**
   * The time at which the next claim can succeed, if nothing else happens until then, or `null` if that is not known.
   * It is the current time if more jobs may be available.
   */
  readonly Next: number | null;
  /** The number of crashes of the next job that is due and has crashed, or 0 if there is none. */
  readonly Crashes: number;
}

/** The claim of a job. */
export interface Claim {
  /** The ID of the job. */
  readonly ID: string;
  /** The token of the claim. */
  readonly Token: number;
  /** Whether other jobs start while this one runs, see {@linkcode ClaimRequest.IsAlone}. */
  readonly IsShared?: boolean;
}

/** The state of a renewed claim. A `canceled` one has been renewed, but the job should stop. */
export type Renewal = "renewed" | "canceled" | "lost";

/** The end of an attempt. */
export interface Ending extends Claim {
  /**
   * The new state. For `waiting`, the job starts again at {@linkcode Ending.Due}.
   */
  readonly State: Exclude<JobState, "running">;
  /** Whether the attempt does not count, because the process is shutting down. */
  readonly IsReleased?: boolean;
  /** The time of the next attempt. Required if the job is `waiting`. */
  readonly Due?: number;
  /** The return value as JSON. */
  readonly Result?: string | null;
  /** The error. If omitted, the error of the last attempt is kept. */
  readonly Error?: string | null;
  /** The time after which the job may be deleted, or `null` if it is kept until `Delete` is called. */
  readonly KeepUntil?: number | null;
  /** For a failed job, the time after which it is reported again, see {@linkcode Store.Unreported}. */
  readonly ReportAt?: number | null;
}

/** The outcome of {@linkcode Store.FinishAndClaim}. */
export interface FinishedAndClaimed {
  /** One outcome per ending, in the same order: whether the claim was still valid. */
  readonly Finished: readonly boolean[];
  /** The claimed jobs. */
  readonly Claimed: Claimed;
}

/** A tick of a schedule. */
export interface Tick extends Pick<ScheduleRecord, "Queue" | "Name"> {
  /** The time of the tick. */
  readonly At: number;
  /** The job to add. It has no key. */
  readonly Job: NewJob;
}

/** A schedule in a store. */
export interface ScheduleRecord {
  /** The name of the queue. */
  readonly Queue: string;
  /** The name of the schedule, which is unique in its queue. */
  readonly Name: string;
  /** The cron expression. */
  readonly Cron: string;
  /** The time zone. */
  readonly TimeZone: string;
  /** The name of the job's class or function. */
  readonly Job: string;
  /** The data of each job as JSON. */
  readonly Data: string;
  /** The time of the last tick for which a job was added. For a new schedule, the time at which it was created. */
  readonly Last: number;
}

/** A filter for {@linkcode Store.List}. Omitted properties match all jobs. */
export interface ListFilter {
  /** The name of the queue. */
  readonly Queue?: string | undefined;
  /** The state. */
  readonly State?: JobState | undefined;
  /** The name of the job's class or function. */
  readonly Name?: string | undefined;
  /** Whether only waiting jobs are returned whose last attempt has failed. */
  readonly IsRetried?: boolean | undefined;
  /** The maximum number of jobs. */
  readonly Limit: number;
  /** The {@linkcode JobRecord.Seq} of the last job of the previous page. Only earlier jobs are returned. */
  readonly Before?: number | undefined;
}

/** The numbers of jobs with the same name. */
export interface KindStats {
  /** The name of the job's class or function. */
  readonly Name: string;
  /** The number of jobs that wait, including those that are not due yet. */
  readonly Waiting: number;
  /** The number of running jobs. */
  readonly Running: number;
  /** The number of failed jobs. */
  readonly Failed: number;
  /** The number of finished jobs that are still stored. */
  readonly Done: number;
}

/** The numbers of a queue. */
export interface QueueStats extends Omit<KindStats, "Name"> {
  /** The name of the queue. */
  readonly Queue: string;
  /** The number of waiting jobs that are due. */
  readonly Due: number;
  /** The time at which the job that has been due for the longest time became due, or `null` if no job is due. */
  readonly OldestDue: number | null;
}

/** A store of jobs and schedules, for any number of queues. */
export interface Store {
  /**
   * Creates the tables and updates them to the version of this store. Any number of processes may call it at once.
   *
   * @throws {FrameworkError} With the code `FW_JOB` if the tables belong to a newer version.
   */
  Migrate(): Awaitable<void>;

  /**
   * Adds jobs, all of them or none. A job whose key is held by another job of its queue is not added, which includes
   * earlier jobs of the same call. Processes that wait in {@linkcode Store.Watch} are notified.
   *
   * A job holds its key while it is waiting, and until {@linkcode NewJob.KeyUntil} in any state. A job that waits for
   * its next attempt holds its key again unless another job has taken it.
   *
   * @param jobs The jobs.
   * @param now The current time.
   * @param transaction The transaction of the application. The jobs exist if and only if it is committed. Throws if the
   * store cannot use it.
   * @returns One outcome per job, in the same order.
   */
  Add(jobs: readonly NewJob[], now: number, transaction?: unknown): Awaitable<readonly Added[]>;

  /**
   * Claims jobs that are due, ordered by priority (descending), time (ascending) and order of addition. No two claims
   * return the same job before its lease expires. The state of a claimed job is `running`, and its attempt and token
   * are one higher than before. Jobs are not claimed while they are paused.
   *
   * A running job whose lease has expired is due again, with one more crash. If it was not alone in its process, its
   * attempt does not count, because another job may have caused the crash. If it was alone in its last attempt, it has
   * failed (see {@linkcode Claimed.Expired}). If it was canceled, it becomes `canceled`.
   *
   * Limits are never exceeded, even if several processes claim at once. A job with an expired lease does not count as
   * running. A group that has reached its limit does not delay the jobs of other groups.
   */
  Claim(request: ClaimRequest): Awaitable<Claimed>;

  /**
   * Corrects the start of jobs that were claimed with a rate and started later than {@linkcode ClaimRequest.StartsAt}.
   *
   * @param request The request that they were claimed with.
   * @param groups The groups of the jobs.
   * @param at The time of their start.
   */
  Started(request: ClaimRequest, groups: readonly (string | null)[], at: number): Awaitable<void>;

  /**
   * Extends claims.
   *
   * @param claims The claims.
   * @param until The time at which they expire.
   * @returns One outcome per claim, in the same order. `lost` if the job was claimed again, given back or deleted. A
   * claim that has expired is renewed unless a later {@linkcode Store.Claim} has put the job back.
   */
  Renew(claims: readonly Claim[], until: number): Awaitable<readonly Renewal[]>;

  /**
   * Ends attempts. An ending whose claim is lost has no effect.
   *
   * @param endings The endings.
   * @param now The current time.
   * @returns One outcome per ending, in the same order: whether the claim was still valid.
   */
  Finish(endings: readonly Ending[], now: number): Awaitable<readonly boolean[]>;

  /**
   * Ends attempts like {@linkcode Store.Finish} and then claims jobs like {@linkcode Store.Claim}, in one step. If the
   * method is missing, the queue calls the other two.
   */
  FinishAndClaim?(endings: readonly Ending[], request: ClaimRequest): Awaitable<FinishedAndClaimed>;

  /**
   * Stores the progress of a running job.
   *
   * @param claim The claim.
   * @param progress The progress as JSON.
   * @returns Whether the claim was still valid.
   */
  Progress(claim: Claim, progress: string): Awaitable<boolean>;

  /**
   * Cancels jobs. A waiting job is `canceled` at once. For a running job, the next {@linkcode Store.Renew} returns
   * `canceled`, and its process is notified. Other jobs stay as they are.
   *
   * @param ids The IDs.
   * @param now The current time.
   * @param keepUntil The time after which the waiting ones may be deleted, or `null` if they are kept.
   * @returns The number of canceled jobs.
   */
  Cancel(ids: readonly string[], now: number, keepUntil?: number | null): Awaitable<number>;

  /**
   * Makes failed and canceled jobs due again, with no attempts used. One with a batch that has not ended waits for it
   * again. Other jobs stay as they are.
   *
   * @param ids The IDs.
   * @param now The current time, which becomes the due time.
   * @returns The number of jobs.
   */
  Retry(ids: readonly string[], now: number): Awaitable<number>;

  /**
   * Makes waiting jobs due now. Other jobs, and jobs whose batch has not ended, stay as they are.
   *
   * @param ids The IDs.
   * @param now The current time.
   * @returns The number of jobs.
   */
  Hurry(ids: readonly string[], now: number): Awaitable<number>;

  /**
   * Deletes jobs that are not running.
   *
   * @param ids The IDs.
   * @returns The number of deleted jobs.
   */
  Delete(ids: readonly string[]): Awaitable<number>;

  /** Returns a job, or `null` if it does not exist. */
  Get(id: string): Awaitable<JobRecord | null>;

  /** Returns jobs, with the newest first. */
  List(filter: ListFilter): Awaitable<readonly JobRecord[]>;

  /** Returns the numbers of all queues that have jobs, ordered by name. */
  Stats(now: number): Awaitable<readonly QueueStats[]>;

  /** Returns the numbers of jobs in a queue by their name, ordered by name. */
  Kinds(queue: string): Awaitable<readonly KindStats[]>;

  /**
   * Pauses or resumes jobs in all processes.
   *
   * @param queue The name of the queue.
   * @param name The name of the job's class or function, or an empty string for the whole queue.
   * @param isPaused Whether the jobs are paused.
   * @returns Whether that was a change.
   */
  Pause(queue: string, name: string, isPaused: boolean): Awaitable<boolean>;

  /** Returns the names of jobs that are paused in a queue. An empty string represents the whole queue. */
  Pauses(queue: string): Awaitable<readonly string[]>;

  /**
   * Returns failed jobs that have not been reported, because the process that should have done it has crashed.
   *
   * @param queue The name of the queue.
   * @param now The current time.
   * @param until The time after which they are returned again unless {@linkcode Store.Reported} is called.
   * @returns The jobs. The store may leave some of them for the next call.
   */
  Unreported(queue: string, now: number, until: number): Awaitable<readonly JobRecord[]>;

  /** Records that failed jobs have been reported. */
  Reported(ids: readonly string[]): Awaitable<void>;

  /**
   * Deletes finished jobs whose {@linkcode Ending.KeepUntil} has passed and that do not hold a key.
   *
   * @returns The number of deleted jobs. The store may leave some of them for the next call.
   */
  Sweep(now: number): Awaitable<number>;

  /**
   * Creates a schedule, or changes its expression and time zone. If either is different from before, ticks before the
   * current time are no longer due.
   *
   * @returns The schedule as it is stored now.
   */
  Schedule(schedule: Omit<ScheduleRecord, "Last">, now: number): Awaitable<ScheduleRecord>;

  /** Returns the schedules of all queues. */
  Schedules(): Awaitable<readonly ScheduleRecord[]>;

  /** Deletes a schedule. Reports whether it existed. */
  Unschedule(queue: string, name: string): Awaitable<boolean>;

  /**
   * Adds the job of a tick, unless the schedule has had this tick or a later one, or does not exist. If several
   * processes report the same tick, one job is added. A last tick that is later than the current time is ignored,
   * because the clock of the process that has reported it was wrong.
   *
   * @returns Whether the job was added.
   */
  Tick(tick: Tick, now: number): Awaitable<boolean>;

  /**
   * Calls a function whenever this or another process may have added, finished or canceled a job. Calls may be
   * combined, and may occur without a reason. If the store cannot notify, the queue asks regularly.
   *
   * @param wake The function. It does not throw.
   * @returns A function that ends the notifications.
   */
  Watch?(wake: () => void): Awaitable<() => Awaitable<void>>;

  /**
   * Returns the current time of a store that is shared by several machines. The queue measures the difference from its
   * own clock, so that machines whose clocks differ agree on leases and due times.
   *
   * @param transaction The transaction of the application, which may hold the only connection.
   */
  Now?(transaction?: unknown): Awaitable<number>;

  /** Releases what the store has opened itself. */
  Close(): Awaitable<void>;
}
