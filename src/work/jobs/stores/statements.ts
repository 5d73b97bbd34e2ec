/**
 * The statements for jobs and schedules that all databases have in common.
 *
 * @module
 */

import { columns, longestSkew } from "./job_columns.ts";

/** The columns of jobs and of schedules, in the order of their rows. */
export const jobColumns: string = columns.join(", ");
export const scheduleColumns = "queue, name, cron, time_zone, job, data, last";

/** The error of a job whose lease has expired. */
const leaseExpired = "The lease expired: the process has crashed, was suspended or was blocked";

/** The parts of statements that differ between databases. */
export interface Dialect {
  /** The states of jobs that are due, and of those whose process has crashed. */
  readonly ready: string;
  readonly suspect: string;
  /** Returns the condition for jobs whose IDs are in the argument `IDs`. */
  named(condition: string): string;
  /** Returns the condition for a limited number of jobs that no other process is changing. */
  some(condition: string): string;
  /** Changes the key of jobs that hold it again under one condition, and continue to hold it under another. */
  holdKey(again: string, still: string): string;
  /** Writes a statement for the database. `@` begins the name of a table, and `:` the name of an argument. */
  write(statement: string): string;
}

/** Returns the statements by name. */
export function statementsFor(dialect: Dialect): Readonly<Record<string, string>> {
  const { ready, suspect, named, some, holdKey, write } = dialect;
  const waiting = "state NOT IN ('running', 'done', 'failed', 'canceled')";
  // Only a crash of a job that was alone in its process uses up an attempt: another job may have caused the crash.
  const isLast = "is_alone AND attempt >= max_attempts";
  const isRetried = `NOT is_canceled AND NOT (${isLast})`;
  const statements = {
    expire: `UPDATE @jobs SET error = '${leaseExpired}', ${holdKey(isRetried, "key_until > :Now")}
        state = CASE WHEN is_canceled THEN 'canceled' WHEN ${isLast} THEN 'failed' ELSE '${suspect}' END,
        finished = CASE WHEN ${isRetried} THEN NULL ELSE :Now END,
        report_at = CASE WHEN NOT is_canceled AND ${isLast} THEN :ReportAt END,
        attempt = attempt - CASE WHEN ${isRetried} AND NOT is_alone THEN 1 ELSE 0 END,
        crashes = CASE WHEN ${isRetried} THEN crashes + 1 ELSE 0 END,
        lease_until = NULL, is_canceled = false, is_alone = false
      WHERE ${some("state = 'running' AND queue = :Queue AND lease_until <= :Now")} RETURNING ${jobColumns}`,
    cancel: `UPDATE @jobs SET is_canceled = state = 'running', finished = CASE WHEN state <> 'running' THEN :Now END,
        ${holdKey("false", "state = 'running' OR key_until > :Now")}
        state = CASE WHEN state = 'running' THEN state ELSE 'canceled' END
      WHERE ${named(`(${waiting} OR state = 'running' AND NOT is_canceled)`)}`,
    retry: `UPDATE @jobs SET ${holdKey("true", "false")} state = '${ready}', attempt = 0, due = :Now, finished = NULL,
        keep_until = NULL, report_at = NULL WHERE ${named("state IN ('failed', 'canceled')")}`,
    hurry: `UPDATE @jobs SET due = CASE WHEN due > :Now THEN :Now ELSE due END,
        state = CASE WHEN crashes > 0 THEN '${suspect}' ELSE '${ready}' END WHERE ${named(waiting)}`,
    remove: `DELETE FROM @jobs WHERE ${named("state <> 'running'")}`,
    report: "UPDATE @jobs SET progress = :Progress WHERE id = :ID AND token = :Token AND state = 'running'",
    get: `SELECT ${jobColumns} FROM @jobs WHERE id = :ID`,
    unreported: `UPDATE @jobs SET report_at = :Until WHERE ${some("queue = :Queue AND report_at <= :Now")}
      RETURNING ${jobColumns}`,
    reported: `UPDATE @jobs SET report_at = NULL WHERE ${named("true")}`,
    sweep: `DELETE FROM @jobs
      WHERE ${some("keep_until <= :Now AND coalesce(key_until <= :Now, true) AND report_at IS NULL")}`,
    pause: "INSERT INTO @pauses VALUES (:Queue, :Name) ON CONFLICT DO NOTHING",
    resume: "DELETE FROM @pauses WHERE queue = :Queue AND name = :Name",
    // The last tick may be later than the current time, if the clock was set back.
    schedule: `INSERT INTO @schedules AS s (${scheduleColumns})
        VALUES (:Queue, :Name, :Cron, :TimeZone, :Job, :Data, :Now)
      ON CONFLICT (queue, name) DO UPDATE SET
        last = CASE WHEN s.cron = excluded.cron AND s.time_zone = excluded.time_zone OR s.last > excluded.last
          THEN s.last ELSE excluded.last END,
        cron = excluded.cron, time_zone = excluded.time_zone, job = excluded.job, data = excluded.data
      RETURNING ${scheduleColumns}`,
    unschedule: "DELETE FROM @schedules WHERE queue = :Queue AND name = :Name",
    // A tick in the future was reported by a clock that was wrong, and does not prevent earlier ones.
    tick: `UPDATE @schedules SET last = :At WHERE queue = :Queue AND name = :Name
      AND (last < :At OR last > :Now + ${longestSkew})
      AND NOT EXISTS (SELECT 1 FROM @ticks AS t WHERE t.queue = :Queue AND t.name = :Name AND t.at = :At)`,
    ticked: "INSERT INTO @ticks VALUES (:Queue, :Name, :At)",
  };
  return Object.fromEntries(Object.entries(statements).map(([name, sql]) => [name, write(sql)]));
}
