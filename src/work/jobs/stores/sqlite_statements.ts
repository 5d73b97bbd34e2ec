/**
 * The statements for jobs in a SQLite file.
 *
 * @module
 */

import { ticksKeptFor } from "./job_columns.ts";
import { type Dialect, statementsFor, waiting } from "./statements.ts";

/** The maximum number of jobs that one statement changes, so that it does not block the process. */
export const mostAtOnce = 500;
/** The maximum number of short rows, such as the starts of jobs, that one statement deletes. */
export const mostForgotten = 5_000;

const jobs = "fw_job_records";
const dialect: Dialect = {
  named: (condition) => `id IN (SELECT value FROM json_each(?1, '$.IDs')) AND ${condition}`,
  some: (condition, limit = `${mostAtOnce}`) => `seq IN (SELECT seq FROM @jobs WHERE ${condition} LIMIT ${limit})`,
  among: (subquery) => `IN (${subquery})`,
  each: (condition) => `JOIN @jobs AS j ON j.seq IN (SELECT seq FROM @jobs WHERE ${condition})`,
  items: (argument) => `jsonb_each(?1, '$.${argument}') AS e`,
  texts: (argument) => `json_each(?1, '$.${argument}') AS e`,
  starts: "",
  // All arguments are properties of one parameter, which is JSON.
  write: (sql) => sql.replaceAll("@jobs", jobs).replaceAll("@", "fw_job_").replaceAll(/:([\w.]+)/g, "(?1->>'$.$1')"),
};

/** The statements by name. */
export const statements: Readonly<Record<string, string>> = {
  ...statementsFor(dialect),
  changes: "PRAGMA data_version",
  log: "PRAGMA journal_mode = WAL",
  tables: "SELECT 1 FROM sqlite_schema WHERE name = 'fw_job_version'",
  version: "SELECT version FROM fw_job_version",
  freeKeysOf: `UPDATE ${jobs} SET holds_key = false WHERE holds_key AND NOT ${waiting}
    AND coalesce(key_until <= ?1->>'Now', true) AND (queue, key) IN (SELECT queue, key FROM ${jobs} WHERE ${
    dialect.named(waiting)
  })`,
  holdKeys: `UPDATE OR IGNORE ${jobs} SET holds_key = key IS NOT NULL WHERE ${dialect.named(waiting)}`,
  isReady: `SELECT EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'ready' AND queue = ?1)
    OR EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'suspect' AND queue = ?1)`,
  forgetStarts: `DELETE FROM fw_job_starts WHERE rowid IN (
      SELECT rowid FROM fw_job_starts WHERE until <= ? LIMIT ${mostForgotten})`,
  forgetTicks: `DELETE FROM fw_job_ticks WHERE (queue, name, at) IN (
      SELECT queue, name, at FROM fw_job_ticks WHERE at <= ? - ${ticksKeptFor} LIMIT ${mostForgotten})`,
  hasUnreported: `SELECT 1 FROM ${jobs} WHERE queue = ?1->>'Queue' AND report_at <= ?1->>'Now' LIMIT 1`,
};
