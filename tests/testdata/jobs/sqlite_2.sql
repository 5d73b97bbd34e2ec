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
  DROP INDEX fw_jobs_failed;
  CREATE INDEX fw_job_records_list ON fw_job_records (queue, state, name, seq);
  CREATE INDEX fw_job_records_suspect ON fw_job_records (queue, due, seq) WHERE state = 'suspect';
  CREATE INDEX fw_job_records_retried ON fw_job_records (queue, seq) WHERE attempt > 0 AND state IN ('ready', 'later', 'suspect');
  CREATE INDEX fw_job_records_report ON fw_job_records (queue, report_at) WHERE report_at IS NOT NULL;
  CREATE TABLE fw_job_counts (
    queue TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (queue, name, state)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO fw_job_counts SELECT queue, name, state, count(*) FROM fw_job_records GROUP BY queue, name, state;
  CREATE TRIGGER fw_job_added AFTER INSERT ON fw_job_records BEGIN INSERT INTO fw_job_counts VALUES (new.queue, new.name, new.state, 1)
  ON CONFLICT DO UPDATE SET count = count + 1; END;
  CREATE TRIGGER fw_job_deleted AFTER DELETE ON fw_job_records BEGIN UPDATE fw_job_counts SET count = count - 1
  WHERE queue = old.queue AND name = old.name AND state = old.state; END;
  CREATE TRIGGER fw_job_changed AFTER UPDATE OF state ON fw_job_records WHEN old.state <> new.state
    BEGIN UPDATE fw_job_counts SET count = count - 1
  WHERE queue = old.queue AND name = old.name AND state = old.state; INSERT INTO fw_job_counts VALUES (new.queue, new.name, new.state, 1)
  ON CONFLICT DO UPDATE SET count = count + 1; END;
  CREATE TRIGGER fw_job_ended AFTER UPDATE OF state ON fw_job_records
    WHEN new.in_batch = 1 AND new.state IN ('done', 'failed', 'canceled') BEGIN
      UPDATE fw_job_records SET in_batch = 0 WHERE seq = new.seq;
  UPDATE fw_job_records SET pending = pending - 1, failed_in_batch = failed_in_batch + (new.state = 'failed'),
    due = iif(pending <= 1, coalesce(new.finished, new.added), due),
    state = iif(pending <= 1 AND state = 'later', 'ready', state) WHERE id = new.batch;
    END;
  CREATE TRIGGER fw_job_dropped AFTER DELETE ON fw_job_records WHEN old.in_batch = 1 BEGIN
  UPDATE fw_job_records SET pending = pending - 1, failed_in_batch = failed_in_batch + 0,
    due = iif(pending <= 1, coalesce(old.finished, old.added), due),
    state = iif(pending <= 1 AND state = 'later', 'ready', state) WHERE id = old.batch;
  END;
  CREATE TABLE fw_job_ticks (
    queue TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (queue, name, at)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE fw_job_pauses (queue TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (queue, name)) STRICT, WITHOUT ROWID;
    DELETE FROM fw_job_version; INSERT INTO fw_job_version VALUES (2);
