/**
 * The columns of jobs and schedules, which all databases have in common.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { JobRecord, JobState, KindStats, ScheduleRecord } from "../store.ts";

/** The properties of a job that are strings, and those that are numbers, in the order of {@linkcode columns}. */
const texts = "ID Queue Name Data Key Group Trace Batch Progress Result Error State IsCanceled".split(" ");
const numbers =
  "Due Priority MaxAttempts KeyUntil Pending Attempt Token LeaseUntil Added Finished Seq Crashes FailedInBatch"
    .split(" ");
const properties: readonly string[] = [...texts, ...numbers];

/** The names of the columns, such as `max_attempts`. The word `group` is reserved in SQL. */
export const columns: readonly string[] = properties.map((name) =>
  name === "Group" ? "group_name" : name.replace(/\B[A-Z](?=[a-z])/g, "_$&").toLowerCase()
);

/** Converts a row to a job. The values of PostgreSQL are strings. */
export function recordOf(row: readonly unknown[]): JobRecord {
  const job: Record<string, unknown> = {};
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

/** Converts rows to jobs, in the order in which they should start. Databases return updated rows in any order. */
export function claimedOf(rows: readonly (readonly unknown[])[]): JobRecord[] {
  return rows.map(recordOf).sort((a, b) =>
    Math.sign(a.Crashes) - Math.sign(b.Crashes) || b.Priority - a.Priority || a.Due - b.Due || a.Seq - b.Seq
  );
}

/** Returns the numbers of jobs by state. Each row is a state and a number. */
export function countedStates(rows: readonly (readonly unknown[])[]): Omit<KindStats, "Name"> {
  const of = (state: JobState) =>
    rows.reduce((sum, [each, count]) => publicState(each as string) === state ? sum + (count as number) : sum, 0);
  return { Waiting: of("waiting"), Running: of("running"), Failed: of("failed"), Done: of("done") };
}

/** Returns the numbers of jobs by name and state. Each row is a name, a state and a number. */
export function kindsOf(rows: readonly (readonly unknown[])[]): KindStats[] {
  return [...Map.groupBy(rows, ([name]) => name as string)]
    .map(([Name, kinds]) => ({ Name, ...countedStates(kinds.map((row) => row.slice(1))) }));
}

/** Converts a row to a schedule. */
export function scheduleOf([Queue, Name, Cron, TimeZone, Job, Data, Last]: readonly unknown[]): ScheduleRecord {
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
