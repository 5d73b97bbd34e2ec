CREATE SCHEMA @;
CREATE TABLE @.version (version integer NOT NULL);
INSERT INTO @.version VALUES (1);
    CREATE TABLE @.jobs (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, queue text NOT NULL,
      name text NOT NULL, data text NOT NULL, due double precision NOT NULL, priority double precision NOT NULL,
      max_attempts integer NOT NULL, key text, key_until double precision, holds_key boolean NOT NULL, group_name text,
      trace text, state text NOT NULL DEFAULT 'waiting', attempt integer NOT NULL DEFAULT 0,
      token integer NOT NULL DEFAULT 0, lease_until double precision, is_canceled boolean NOT NULL DEFAULT false,
      is_limited boolean NOT NULL DEFAULT false, progress text, result text, error text,
      added double precision NOT NULL, finished double precision, keep_until double precision
    );
    CREATE INDEX jobs_order ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'waiting';
    CREATE INDEX jobs_due ON @.jobs (queue, due) WHERE state = 'waiting';
    CREATE INDEX jobs_lease ON @.jobs (queue, lease_until) WHERE state = 'running';
    CREATE INDEX jobs_failed ON @.jobs (seq) WHERE state = 'failed';
    CREATE INDEX jobs_keep ON @.jobs (keep_until) WHERE keep_until IS NOT NULL;
    CREATE UNIQUE INDEX jobs_key ON @.jobs (queue, key) WHERE holds_key;
    CREATE TABLE @.starts (queue text NOT NULL, group_name text NOT NULL, until double precision NOT NULL);
    CREATE INDEX starts_until ON @.starts (queue, group_name, until);
    CREATE TABLE @.schedules (
      queue text, name text, cron text NOT NULL, time_zone text NOT NULL, last double precision NOT NULL,
      PRIMARY KEY (queue, name)
    );
