/**
 * The columns of jobs and schedules, which all databases have in common.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Claimed, JobRecord, JobState, KindStats, QueueStats, ScheduleRecord } from "../store.ts";

/** The values of a row. */
export type Row = readonly unknown[];

/** The properties of a job that are strings, and those that are numbers, in the order of {@linkcode columns}. */
const texts = "ID Queue Name Data Key Group Trace Batch Progress Result Error State IsCanceled".split(" ");
const numbers =
  "Due Priority MaxAttempts KeyUntil Pending Attempt Token LeaseUntil Added Finished Seq Crashes FailedInBatch"
    .split(" ");
const properties: readonly string[] = [...texts, ...numbers];
/** A job without values. Adding the properties one by one would take a third longer (tests/bench/jobs.ts). */
const noJob = Object.fromEntries(properties.map((name) => [name, null]));

/** The names of the columns, such as `max_attempts`. The word `group` is reserved in SQL. */
export const columns: readonly string[] = properties.map((name) =>
  name === "Group" ? "group_name" : name.replace(/\B[A-Z](?=[a-z])/g, "_$&").toLowerCase()
);

/** Converts rows to jobs. */
export function recordsOf(rows: readonly Row[]): JobRecord[] {
  return rows.map(recordOf);
}

/** Converts a row to a job. The values of PostgreSQL are strings. */
function recordOf(row: Row): JobRecord {
  const job: Record<string, unknown> = { ...noJob };
  for (let i = 0; i < properties.length; i++) {
    const value = row[i];
    job[properties[i] as string] = typeof value === "string" && i >= texts.length ? Number(value) : value;
  }
  job["State"] = publicState(job["State"] as string);
  job["IsCanceled"] = job["IsCanceled"] === 1 || job["IsCanceled"] === "true";
  return job as unknown as JobRecord;
}

/** Returns the state of a job as it is published. SQLite has three states for jobs that wait. */
function publicState(state: string): string {
  return state === "ready" || state === "later" || state === "suspect" ? "waiting" : state;
}

/** The rows that a claim returns, the time of the next one, and the number of crashes of the next job. */
export type ClaimOutput = readonly [claimed: Row[], expired: Row[], next: number | null, crashes: number];

/** Converts the rows that a claim returns. Databases return updated rows in any order. */
export function claimedOf([claimed, expired, Next, Crashes]: ClaimOutput): Claimed {
  const Jobs = recordsOf(claimed).sort((a, b) =>
    Math.sign(a.Crashes) - Math.sign(b.Crashes) || b.Priority - a.Priority || a.Due - b.Due || a.Seq - b.Seq
  );
  const Expired = recordsOf(expired).filter(({ State }) => State === "failed");
  return { Jobs, Expired, Next, Crashes };
}

/** The numbers of a queue. Each row is a state and a number. */
export interface CountedQueue extends Pick<QueueStats, "Queue" | "Due" | "OldestDue"> {
  readonly States: readonly Row[];
  /** The number of waiting jobs that are not due. Both numbers are counted up to {@linkcode mostCounted}. */
  readonly Later: number;
}

/** Converts the numbers of queues. */
export function statsOf(queues: readonly CountedQueue[]): QueueStats[] {
  return queues.map(({ Queue, States, Due, Later, OldestDue }) => {
    const counts = countedStates(States);
    const isExact = Due < mostCounted || Later >= mostCounted;
    return { Queue, ...counts, Due: isExact ? Due : counts.Waiting - Later, OldestDue };
  });
}

/** Returns the numbers of jobs by name and state. Each row is a name, a state and a number. */
export function kindsOf(rows: readonly Row[]): KindStats[] {
  return [...Map.groupBy(rows, ([name]) => name as string)]
    .map(([Name, kinds]) => ({ Name, ...countedStates(kinds.map((row) => row.slice(1))) }));
}

function countedStates(rows: readonly Row[]): Omit<KindStats, "Name"> {
  const of = (state: JobState) =>
    rows.reduce((sum, [each, count]) => publicState(each as string) === state ? sum + (count as number) : sum, 0);
  return { Waiting: of("waiting"), Running: of("running"), Failed: of("failed"), Done: of("done") };
}

/** Converts a row to a schedule. */
export function scheduleOf([Queue, Name, Cron, TimeZone, Job, Data, Last]: Row): ScheduleRecord {
  return { Queue, Name, Cron, TimeZone, Job, Data, Last } as ScheduleRecord;
}

/** The maximum number of jobs that are counted one by one. */
export const mostCounted = 10_000;

/** The time for which ticks are remembered, in case the clock is set back, in milliseconds. */
export const ticksKeptFor = 86_400_000;

/** The maximum difference between the clocks of two processes that are right, in milliseconds. */
export const longestSkew = 5_000;

/** The due time of a job that waits for the jobs of its batch. */
export const untilBatchEnds = 8.64e15;

/**
 * Throws unless the tables have the expected version.
 *
 * @param tables The name of the tables, for the message.
 * @param found The version, or 0 if they do not exist.
 * @param expected The version that this process uses.
 */
export function checkVersion(tables: string, found: number, expected: number): void {
  if (found === expected) return;
  const reason = found > expected
    ? `their version ${found} is newer than version ${expected} of this process; update fw`
    : "they do not exist or are outdated; call Migrate first";
  throw new FrameworkError("FW_JOB", `Cannot use ${tables}: ${reason}`);
}
