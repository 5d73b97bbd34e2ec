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
INSERT INTO fw_job_version VALUES (1);
