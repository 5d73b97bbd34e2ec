/**
 * The tables of jobs in a SQLite file.
 *
 * @module
 */

import { waiting } from "./statements.ts";

/** The change of a counter when a job gets a state or leaves it. */
const enters = `INSERT INTO fw_job_counts VALUES (new.queue, new.name, new.state, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;`;
const leaves = `UPDATE fw_job_counts SET count = count - 1
  WHERE queue = old.queue AND name = old.name AND state = old.state;`;

/** Counts the end of a job in its batch. The job that waits for the batch is due at the end of the last one. */
function endsInBatch(row: string, isFailed: string): string {
  return `
  UPDATE fw_job_records SET pending = pending - 1, failed_in_batch = failed_in_batch + ${isFailed},
    due = iif(pending <= 1, coalesce(${row}.finished, ${row}.added), due),
    state = iif(pending <= 1 AND state = 'later', 'ready', state) WHERE id = ${row}.batch;`;
}

/**
 * The steps from one version of the tables to the next. The statements of a process that still uses an earlier version
 * must fail, so a step that is not compatible renames a table. A step does not create what a later one drops. The
 * conditions of indexes begin with their cheapest part, because they are checked for each job that is added.
 *
 * A waiting job is `later`, `ready`, or `suspect` if its process has crashed. If the first two were one state, an idle
 * worker would read all jobs that are not due, because the index for claims is ordered by priority first.
 */
const migrations = [
  `
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
  CREATE INDEX fw_jobs_keep ON fw_jobs (keep_until) WHERE keep_until IS NOT NULL;
  CREATE TABLE fw_job_starts (key TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE TABLE fw_job_schedules (
    queue TEXT NOT NULL, name TEXT NOT NULL, cron TEXT NOT NULL, time_zone TEXT NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (queue, name)
  ) STRICT, WITHOUT ROWID;`,
  `
  ALTER TABLE fw_jobs RENAME TO fw_job_records;
  ALTER TABLE fw_job_records ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fw_job_records ADD COLUMN is_alone INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fw_job_records ADD COLUMN batch TEXT;
  ALTER TABLE fw_job_records ADD COLUMN in_batch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fw_job_records ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fw_job_records ADD COLUMN failed_in_batch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fw_job_records ADD COLUMN report_at INTEGER;
  ALTER TABLE fw_job_schedules ADD COLUMN job TEXT NOT NULL DEFAULT '';
  ALTER TABLE fw_job_schedules ADD COLUMN data TEXT NOT NULL DEFAULT 'null';
  CREATE INDEX fw_job_records_suspect ON fw_job_records (queue, due, seq) WHERE state = 'suspect';
  CREATE INDEX fw_job_records_report ON fw_job_records (queue, report_at) WHERE report_at IS NOT NULL;
  CREATE TABLE fw_job_counts (
    queue TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (queue, name, state)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO fw_job_counts SELECT queue, name, state, count(*) FROM fw_job_records GROUP BY queue, name, state;
  CREATE TRIGGER fw_job_added AFTER INSERT ON fw_job_records BEGIN ${enters} END;
  CREATE TRIGGER fw_job_deleted AFTER DELETE ON fw_job_records BEGIN ${leaves} END;
  CREATE TRIGGER fw_job_changed AFTER UPDATE OF state ON fw_job_records WHEN old.state <> new.state
    BEGIN ${leaves} ${enters} END;
  CREATE TRIGGER fw_job_ended AFTER UPDATE OF state ON fw_job_records
    WHEN new.in_batch = 1 AND new.state IN ('done', 'failed', 'canceled') BEGIN
      UPDATE fw_job_records SET in_batch = 0 WHERE seq = new.seq;
      ${endsInBatch("new", "(new.state = 'failed')")}
    END;
  CREATE TRIGGER fw_job_dropped AFTER DELETE ON fw_job_records WHEN old.in_batch = 1 BEGIN
    ${endsInBatch("old", "0")}
  END;
  CREATE TABLE fw_job_ticks (
    queue TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (queue, name, at)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE fw_job_pauses (queue TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (queue, name)) STRICT, WITHOUT ROWID;`,
  `
  DROP INDEX IF EXISTS fw_jobs_failed; DROP INDEX IF EXISTS fw_jobs_held;
  DROP INDEX IF EXISTS fw_job_records_list; DROP INDEX IF EXISTS fw_job_records_retried;
  ALTER TABLE fw_job_records ADD COLUMN holds_key INTEGER NOT NULL DEFAULT 0;
  UPDATE fw_job_records SET holds_key = 1 WHERE held IS NOT NULL;
  ALTER TABLE fw_job_records DROP COLUMN held;
  CREATE UNIQUE INDEX fw_job_records_key ON fw_job_records (queue, key) WHERE holds_key;
  ALTER TABLE fw_job_starts RENAME TO fw_job_former_starts;
  CREATE TABLE fw_job_starts (queue TEXT NOT NULL, group_name TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
  INSERT INTO fw_job_starts SELECT key->>0, coalesce('group ' || (key->>1), 'queue'), until FROM fw_job_former_starts;
  DROP TABLE fw_job_former_starts;
  CREATE INDEX fw_job_starts_until ON fw_job_starts (queue, group_name, until);
  CREATE INDEX fw_job_records_list ON fw_job_records (queue, state, name, seq) WHERE state <> 'running';
  CREATE INDEX fw_job_records_retried ON fw_job_records (queue, state, name, seq) WHERE attempt > 0 AND ${waiting};
  CREATE VIEW fw_job_kinds AS SELECT queue, name, state, count FROM fw_job_counts WHERE count > 0;`,
];

/** The version of the tables. */
export const version: number = migrations.length;

/**
 * Returns the statements that update the tables.
 *
 * @param installed The version of the tables, or 0 if they do not exist.
 */
export function migrationFrom(installed: number): string {
  if (installed >= version) return "";
  return `${migrations.slice(installed).join("\n")}
    DELETE FROM fw_job_version; INSERT INTO fw_job_version VALUES (${version});`;
}
