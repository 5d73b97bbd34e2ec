/**
 * The statements for jobs in a SQLite file.
 *
 * @module
 */

import { mostCounted, ticksKeptFor } from "./job_columns.ts";
import { type Dialect, jobColumns as columns, scheduleColumns, statementsFor } from "./statements.ts";

/** The maximum number of jobs that one statement changes, so that it does not block the process. */
export const mostAtOnce = 500;
/** The maximum number of short rows, such as the starts of jobs, that one statement deletes. */
export const mostForgotten = 5_000;

const jobs = "fw_job_records";
const ours = "id = ? AND token = ? AND state = 'running'";
const waiting = "state IN ('ready', 'later', 'suspect')";
const claimable = "queue = ? AND name IN (SELECT value FROM json_each(?))";
const order = "ORDER BY priority DESC, due, seq LIMIT";
/** The key of a job that holds it again, unless another job holds it. */
const heldAgain = `iif(held IS NULL AND EXISTS (
  SELECT 1 FROM ${jobs} AS other WHERE other.queue = ${jobs}.queue AND other.held = ${jobs}.key
), NULL, key)`;
const dialect: Dialect = {
  ready: "ready",
  suspect: "suspect",
  named: (condition) => `id IN (SELECT value FROM json_each(?1, '$.IDs')) AND ${condition}`,
  some: (condition) => `seq IN (SELECT seq FROM @jobs WHERE ${condition} LIMIT ${mostAtOnce})`,
  holdKey: (again, still) => `held = CASE WHEN ${again} THEN ${heldAgain} WHEN ${still} THEN held END,`,
  // All arguments are properties of one parameter, which is JSON.
  write: (sql) => sql.replaceAll("@jobs", jobs).replaceAll("@", "fw_job_").replaceAll(/:(\w+)/g, "?1->>'$1'"),
};
const claims = `UPDATE ${jobs} SET state = 'running', attempt = attempt + 1, token = token + 1, lease_until = ?,
  is_alone = ?, held = iif(key_until > ?, held, NULL)`;
/** The due time of the first ready job. There are few priorities, but many jobs. */
const oldestReady = `(
  WITH RECURSIVE priorities(priority) AS (
    SELECT max(priority) FROM ${jobs} WHERE state = 'ready' AND queue = ?1
    UNION ALL
    SELECT (SELECT max(priority) FROM ${jobs} WHERE state = 'ready' AND queue = ?1 AND priority < p.priority)
    FROM priorities AS p WHERE p.priority IS NOT NULL
  ) SELECT min((SELECT min(due) FROM ${jobs} WHERE state = 'ready' AND queue = ?1 AND priority = p.priority))
  FROM priorities AS p)`;
function first(what: string, state: string): string {
  return `(SELECT min(${what}) FROM ${jobs} WHERE state = '${state}' AND queue = ?1)`;
}
// The planner has to know the state, so that it uses the index of the state.
function claimOf(state: string): string {
  return `${claims} WHERE seq IN (SELECT seq FROM ${jobs} WHERE state = '${state}' AND ${claimable} ${order} ?)
    RETURNING ${columns}`;
}
function candidateOf(state: string): string {
  return `SELECT seq, group_name FROM ${jobs} WHERE state = '${state}' AND ${claimable}
    AND (group_name IS NULL OR group_name NOT IN (SELECT value FROM json_each(?))) ${order} 1`;
}

/** The statements by name. */
export const statements: Readonly<Record<string, string>> = {
  ...statementsFor(dialect),
  changes: "PRAGMA data_version",
  log: "PRAGMA journal_mode = WAL",
  tables: "SELECT 1 FROM sqlite_schema WHERE name = 'fw_job_version'",
  version: "SELECT version FROM fw_job_version",
  freeKey: `UPDATE ${jobs} SET held = NULL WHERE queue = ? AND held = ? AND NOT ${waiting} AND key_until <= ?`,
  add:
    `INSERT INTO ${jobs} (id, queue, name, data, due, priority, max_attempts, key, key_until, group_name, trace, batch,
      in_batch, pending, added, state, held) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (queue, held) WHERE held IS NOT NULL DO NOTHING`,
  endInBatch: `UPDATE ${jobs} SET pending = pending - 1, due = iif(pending <= 1, ?1, due),
    state = iif(pending <= 1 AND state = 'later', 'ready', state) WHERE id = ?2`,
  holder: `SELECT id FROM ${jobs} WHERE queue = ? AND held = ?`,
  first: `SELECT ${first("lease_until", "running")}, ${first("due", "later")}`,
  ready: `SELECT EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'ready' AND queue = ?1)
    OR EXISTS (SELECT 1 FROM ${jobs} WHERE state = 'suspect' AND queue = ?1)`,
  pauses: "SELECT name FROM fw_job_pauses WHERE queue = ? ORDER BY name",
  promote: `UPDATE ${jobs} SET state = iif(crashes > 0, 'suspect', 'ready') WHERE seq IN (
    SELECT seq FROM ${jobs} WHERE state = 'later' AND queue = ? AND due <= ? ORDER BY due LIMIT ${mostAtOnce})`,
  suspect: `SELECT crashes FROM ${jobs} WHERE state = 'suspect' AND ${claimable} ${order} 1`,
  claim: claimOf("ready"),
  claimSuspect: claimOf("suspect"),
  candidate: candidateOf("ready"),
  candidateSuspect: candidateOf("suspect"),
  claimOne: `${claims} WHERE seq = ? RETURNING ${columns}`,
  running: `SELECT count(*) FROM ${jobs} WHERE state = 'running' AND queue = ?1 AND (?2 IS NULL OR group_name = ?2)`,
  starts: "SELECT at FROM fw_job_starts WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
  start: "INSERT INTO fw_job_starts VALUES (?, ?, ?)",
  restart: "UPDATE fw_job_starts SET at = ?1, until = until + ?1 - at WHERE key = ?2 AND at = ?3",
  forgetStarts: `DELETE FROM fw_job_starts WHERE rowid IN (
      SELECT rowid FROM fw_job_starts WHERE until <= ? LIMIT ${mostForgotten})`,
  forgetTicks: `DELETE FROM fw_job_ticks WHERE (queue, name, at) IN (
      SELECT queue, name, at FROM fw_job_ticks WHERE at <= ? - ${ticksKeptFor} LIMIT ${mostForgotten})`,
  renew: `UPDATE ${jobs} SET lease_until = ?, is_alone = is_alone AND ? WHERE ${ours} RETURNING is_canceled`,
  wait:
    `UPDATE ${jobs} SET due = ?1, state = iif(?1 > ?2, 'later', iif(?3 AND crashes > 0, 'suspect', 'ready')), held = ${heldAgain},
    attempt = attempt - ?3, crashes = iif(?3, crashes, 0), error = iif(?4, ?5, error), lease_until = NULL,
    is_canceled = 0, is_alone = 0 WHERE id = ?6 AND token = ?7 AND state = 'running'`,
  finish:
    `UPDATE ${jobs} SET state = ?, result = ?, error = iif(?, ?, error), finished = ?, keep_until = ?, report_at = ?,
    lease_until = NULL, is_canceled = 0, crashes = 0, held = iif(key_until > ?, held, NULL) WHERE ${ours}`,
  finishAndDelete: `DELETE FROM ${jobs} WHERE ${ours} AND (key_until IS NULL OR key_until <= ?)`,
  kinds: `SELECT queue, name, state, count FROM fw_job_counts WHERE count > 0 AND (?1 IS NULL OR queue = ?1)
    AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR state = ?3 OR ?3 = 'waiting' AND ${waiting}) ORDER BY queue, name`,
  page: `SELECT seq FROM ${jobs} WHERE queue = ? AND name = ? AND state = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  retried: `SELECT seq FROM ${jobs} WHERE attempt > 0 AND ${waiting} AND queue = ?1 AND (?2 IS NULL OR name = ?2)
    AND seq < ?3 ORDER BY seq DESC LIMIT ?4`,
  records: `SELECT ${columns} FROM ${jobs} WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
  due:
    `SELECT count(*) FROM (SELECT 1 FROM ${jobs} WHERE state = 'later' AND queue = ? AND due <= ? LIMIT ${mostCounted})`,
  oldest: `SELECT min(due) FROM (SELECT ${oldestReady} AS due UNION ALL SELECT ${first("due", "suspect")}
    UNION ALL SELECT ${first("due", "later")}) WHERE due <= ?2`,
  hasUnreported: `SELECT 1 FROM ${jobs} WHERE queue = ?1->>'Queue' AND report_at <= ?1->>'Now' LIMIT 1`,
  schedules: `SELECT ${scheduleColumns} FROM fw_job_schedules ORDER BY queue, name`,
};
