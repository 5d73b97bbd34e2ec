/**
 * The columns of jobs and schedules, which all databases have in common.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Claimed, JobRecord } from "../store.ts";

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

/** Converts rows to jobs. The values of PostgreSQL are strings. */
export function recordsOf(rows: readonly Row[]): JobRecord[] {
  return rows.map((row) => {
    const job: Record<string, unknown> = { ...noJob };
    for (let i = 0; i < properties.length; i++) {
      const value = row[i];
      job[properties[i] as string] = typeof value === "string" && i >= texts.length ? Number(value) : value;
    }
    // A job that waits has one of three states in databases.
    if (["ready", "later", "suspect"].includes(job["State"] as string)) job["State"] = "waiting";
    job["IsCanceled"] = job["IsCanceled"] === 1 || job["IsCanceled"] === "true";
    return job as unknown as JobRecord;
  });
}

/**
 * Returns JSON that databases can read. Their text has no NUL and no unpaired surrogates, so both are replaced.
 *
 * @param value The value.
 */
export function databaseJSON(value: unknown): string {
  return JSON.stringify(value).replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)/g, "$1\\ufffd");
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

/**
 * Returns a function that converts rows to objects.
 *
 * @param names The names of the properties, in the order of the columns. The rows of PostgreSQL are objects.
 */
export function objectsOf<T>(names: string): (rows: readonly object[]) => T[] {
  const properties = names.split(" ");
  const objectOf = (values: Row) => Object.fromEntries(properties.map((name, i) => [name, values[i]])) as T;
  return (rows) => rows.map(Object.values).map(objectOf);
}

/** The maximum number of jobs that are counted one by one. */
export const mostCounted = 10_000;

/** The time for which ticks are remembered, in case the clock is set back, in milliseconds. */
export const ticksKeptFor = 86_400_000;

/** The maximum difference between the clocks of two processes that are right, in milliseconds. */
export const longestSkew = 5_000;

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
