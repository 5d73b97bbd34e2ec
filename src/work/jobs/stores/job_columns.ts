/**
 * The columns of jobs, which all databases have in common.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";

/** The properties of a job, in the order of {@linkcode columns}. */
export const properties: readonly string[] =
  ("ID Queue Name Data Due Priority MaxAttempts Key KeyUntil Group Trace Batch Pending State Attempt Token LeaseUntil " +
    "IsCanceled Progress Result Error Added Finished Seq Crashes FailedInBatch").split(" ");

/** The names of the columns, such as `max_attempts`. The word `group` is reserved in SQL. */
export const columns: readonly string[] = properties.map((name) =>
  name === "Group" ? "group_name" : name.replace(/\B[A-Z](?=[a-z])/g, "_$&").toLowerCase()
);

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
