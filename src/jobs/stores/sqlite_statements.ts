/**
 * The tables of jobs in a SQLite file, and the statements for them.
 *
 * @module
 */

import type { JobRecord } from "../store.ts";
import { columns as all, properties } from "./job_columns.ts";

/** The version of the tables. */
export const version = 1;

// A waiting job is `later` or `ready`. If both were one state, an idle worker would read all jobs that are not due,
// because the index for claims is ordered by priority first.
export const schema: string = `
  CREATE TABLE fw_job_version (version INTEGER NOT NULL) STRICT;
  CREATE TABLE fw_jobs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL,
    due INTEGER NOT NULL, priority INTEGER NOT NULL, max_attempts INTEGER NOT NULL, key TEXT, key_until INTEGER,
    group_name TEXT, trace TEXT, state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL DEFAULT 0, lease_until INTEGER, is_canceled INTEGER NOT NULL DEFAULT 0, progress TEXT,
    result TEXT, error TEXT, added INTEGER NOT NULL, finished INTEGER, held TEXT, keep_until INTEGER
  ) STRICT;
  CREATE INDEX fw_jobs_ready ON fw_jobs (queue, priority DESC, due, seq) WHERE state = 'ready';
  CREATE INDEX fw_jobs_later ON fw_jobs (queue, due) WHERE state = 'later';
  CREATE INDEX fw_jobs_running ON fw_jobs (queue, lease_until) WHERE state = 'running';
  CREATE INDEX fw_jobs_failed ON fw_jobs (queue, seq) WHERE state = 'failed';
  CREATE INDEX fw_jobs_keep ON fw_jobs (keep_until) WHERE keep_until IS NOT NULL;
  CREATE UNIQUE INDEX fw_jobs_held ON fw_jobs (queue, held) WHERE held IS NOT NULL;
  CREATE TABLE fw_job_starts (key TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE INDEX fw_job_starts_key ON fw_job_starts (key, at);
  CREATE TABLE fw_job_schedules (
    queue TEXT NOT NULL, name TEXT NOT NULL, cron TEXT NOT NULL, time_zone TEXT NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (queue, name)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO fw_job_version VALUES (${version});`;

const columns = all.join(", ");
const ours = "id = ? AND token = ? AND state = 'running'";
const waiting = "state IN ('ready', 'later')";
const ready = "state = 'ready' AND queue = ? AND name IN (SELECT value FROM json_each(?))";
const order = "ORDER BY priority DESC, due, seq LIMIT";
const ids = "id IN (SELECT value FROM json_each(?))";
/** Sets the state of a waiting job. The parameters are its due time and the current time. */
const waits = "due = ?1, state = iif(?1 <= ?2, 'ready', 'later')";
/** Holds the key of a job again unless another job holds it. */
const holds = `held = iif(held IS NULL AND EXISTS (
  SELECT 1 FROM fw_jobs AS other WHERE other.queue = fw_jobs.queue AND other.held = fw_jobs.key
), NULL, key)`;
const claims = `UPDATE fw_jobs SET state = 'running', attempt = attempt + 1, token = token + 1, lease_until = ?,
  held = iif(key_until > ?, held, NULL)`;

/** The statements by name. */
export const statements: Readonly<Record<string, string>> = {
  changes: "PRAGMA data_version",
  tables: "SELECT 1 FROM sqlite_schema WHERE name = 'fw_job_version'",
  version: "SELECT version FROM fw_job_version",
  freeKey: `UPDATE fw_jobs SET held = NULL
    WHERE queue = ? AND held = ? AND state NOT IN ('ready', 'later') AND key_until <= ?`,
  add: `INSERT INTO fw_jobs (id, queue, name, data, due, priority, max_attempts, key, key_until, group_name, trace,
      added, state, held) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (queue, held) WHERE held IS NOT NULL DO NOTHING`,
  holder: "SELECT id FROM fw_jobs WHERE queue = ? AND held = ?",
  first: `SELECT
    (SELECT min(lease_until) FROM fw_jobs WHERE state = 'running' AND queue = ?1),
    (SELECT min(due) FROM fw_jobs WHERE state = 'later' AND queue = ?1),
    EXISTS (SELECT 1 FROM fw_jobs WHERE state = 'ready' AND queue = ?1)`,
  promote: "UPDATE fw_jobs SET state = 'ready' WHERE state = 'later' AND queue = ? AND due <= ?",
  expired: `SELECT ${columns} FROM fw_jobs WHERE state = 'running' AND queue = ? AND lease_until <= ?`,
  claim: `${claims} WHERE seq IN (SELECT seq FROM fw_jobs WHERE ${ready} ${order} ?) RETURNING ${columns}, seq`,
  candidate: `SELECT seq, group_name FROM fw_jobs WHERE ${ready}
    AND (group_name IS NULL OR group_name NOT IN (SELECT value FROM json_each(?))) ${order} 1`,
  claimOne: `${claims} WHERE seq = ? RETURNING ${columns}`,
  running: "SELECT count(*) FROM fw_jobs WHERE state = 'running' AND queue = ?1 AND (?2 IS NULL OR group_name = ?2)",
  starts: "SELECT at FROM fw_job_starts WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
  start: "INSERT INTO fw_job_starts VALUES (?, ?, ?)",
  forgetStarts: "DELETE FROM fw_job_starts WHERE until <= ?",
  renew: `UPDATE fw_jobs SET lease_until = ? WHERE ${ours} RETURNING is_canceled`,
  wait: `UPDATE fw_jobs SET ${waits}, ${holds}, attempt = attempt - ?3, error = iif(?4, ?5, error), lease_until = NULL,
    is_canceled = 0 WHERE id = ?6 AND token = ?7 AND state = 'running'`,
  finish: `UPDATE fw_jobs SET state = ?, result = ?, error = iif(?, ?, error), finished = ?, keep_until = ?,
    lease_until = NULL, is_canceled = 0, held = iif(key_until > ?, held, NULL) WHERE ${ours}`,
  remove: `DELETE FROM fw_jobs WHERE ${ours} AND (key_until IS NULL OR key_until <= ?)`,
  progress: `UPDATE fw_jobs SET progress = ? WHERE ${ours}`,
  cancelWaiting: `UPDATE fw_jobs SET state = 'canceled', finished = ?1, held = iif(key_until > ?1, held, NULL)
    WHERE ${waiting} AND id IN (SELECT value FROM json_each(?2))`,
  cancelRunning: `UPDATE fw_jobs SET is_canceled = 1 WHERE state = 'running' AND is_canceled = 0 AND ${ids}`,
  retry: `UPDATE fw_jobs SET ${waits}, ${holds}, attempt = 0, finished = NULL, keep_until = NULL
    WHERE state IN ('failed', 'canceled') AND id = ?3`,
  delete: `DELETE FROM fw_jobs WHERE state <> 'running' AND ${ids}`,
  get: `SELECT ${columns} FROM fw_jobs WHERE id = ?`,
  list: `SELECT ${columns} FROM fw_jobs WHERE (?1 IS NULL OR queue = ?1) AND (?2 IS NULL OR name = ?2)
    AND (?3 IS NULL OR state = ?3 OR ?3 = 'waiting' AND ${waiting}) ORDER BY seq DESC LIMIT ?4 OFFSET ?5`,
  stats: `SELECT queue, sum(${waiting}), sum(${waiting} AND due <= ?1),
    sum(state = 'running'), sum(state = 'failed'), sum(state = 'done'),
    min(iif(${waiting} AND due <= ?1, due, NULL)) FROM fw_jobs GROUP BY queue ORDER BY queue`,
  sweep: `DELETE FROM fw_jobs WHERE seq IN (
    SELECT seq FROM fw_jobs WHERE keep_until <= ?1 AND (key_until IS NULL OR key_until <= ?1) LIMIT ?2)`,
  schedule: `INSERT INTO fw_job_schedules VALUES (?, ?, ?, ?, ?) ON CONFLICT (queue, name) DO UPDATE SET
    last = iif(cron = excluded.cron AND time_zone = excluded.time_zone, last, max(last, excluded.last)),
    cron = excluded.cron, time_zone = excluded.time_zone RETURNING queue, name, cron, time_zone, last`,
  schedules: "SELECT queue, name, cron, time_zone, last FROM fw_job_schedules ORDER BY queue, name",
  unschedule: "DELETE FROM fw_job_schedules WHERE queue = ? AND name = ?",
  tick: "UPDATE fw_job_schedules SET last = ?1 WHERE queue = ?2 AND name = ?3 AND last < ?1",
};

/** Converts a row to a job. */
export function recordOf(row: readonly unknown[]): JobRecord {
  const job: Record<string, unknown> = {};
  for (let i = 0; i < properties.length; i++) job[properties[i] as string] = row[i];
  if (job["State"] === "ready" || job["State"] === "later") job["State"] = "waiting";
  job["IsCanceled"] = job["IsCanceled"] === 1;
  return job as unknown as JobRecord;
}
