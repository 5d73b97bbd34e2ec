/**
 * The tables of jobs in PostgreSQL, with the triggers for the numbers of jobs and for batches.
 *
 * Each function of the store is one function of the database, so that it is atomic with any client, which may use
 * another connection for each statement. They take and return JSON, which all clients pass on unchanged.
 *
 * @module
 */

import { changeFunctions } from "./postgres_changes.ts";
import { claimFunctions } from "./postgres_claim.ts";
import { waiting } from "./statements.ts";

/**
 * The steps from one version of the tables to the next. `@` represents the schema. A step does not create what a later
 * one drops.
 */
const migrations = [
  `
    CREATE TABLE @.jobs (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, queue text NOT NULL,
      name text NOT NULL, data text NOT NULL, due double precision NOT NULL, priority double precision NOT NULL,
      max_attempts integer NOT NULL, key text, key_until double precision, holds_key boolean NOT NULL, group_name text,
      trace text, state text NOT NULL DEFAULT 'waiting', attempt integer NOT NULL DEFAULT 0,
      token integer NOT NULL DEFAULT 0, lease_until double precision, is_canceled boolean NOT NULL DEFAULT false,
      progress text, result text, error text,
      added double precision NOT NULL, finished double precision, keep_until double precision
    );
    CREATE INDEX jobs_lease ON @.jobs (queue, lease_until) WHERE state = 'running';
    CREATE INDEX jobs_keep ON @.jobs (keep_until) WHERE keep_until IS NOT NULL;
    CREATE UNIQUE INDEX jobs_key ON @.jobs (queue, key) WHERE holds_key;
    CREATE TABLE @.starts (queue text NOT NULL, group_name text NOT NULL, until double precision NOT NULL);
    CREATE INDEX starts_until ON @.starts (queue, group_name, until);
    CREATE TABLE @.schedules (
      queue text, name text, cron text NOT NULL, time_zone text NOT NULL, last double precision NOT NULL,
      PRIMARY KEY (queue, name)
    );`,
  `
    ALTER TABLE @.jobs
      ADD crashes integer NOT NULL DEFAULT 0, ADD is_alone boolean NOT NULL DEFAULT false, ADD batch text,
      ADD in_batch boolean NOT NULL DEFAULT false, ADD pending integer NOT NULL DEFAULT 0,
      ADD failed_in_batch integer NOT NULL DEFAULT 0, ADD report_at double precision;
    ALTER TABLE @.jobs DROP CONSTRAINT jobs_pkey, DROP CONSTRAINT jobs_id_key,
      ALTER id TYPE text COLLATE "C", ALTER queue TYPE text COLLATE "C", ALTER name TYPE text COLLATE "C",
      ALTER state TYPE text COLLATE "C", ADD PRIMARY KEY (id);
    ALTER TABLE @.schedules ADD job text NOT NULL DEFAULT '', ADD data text NOT NULL DEFAULT 'null';
    CREATE INDEX jobs_list ON @.jobs (queue, state, name, seq) WHERE state <> 'running';
    CREATE INDEX jobs_report ON @.jobs (queue, report_at) WHERE report_at IS NOT NULL;
    CREATE TABLE @.counts (
      queue text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
      count bigint NOT NULL
    );
    CREATE TABLE @.ticks (queue text, name text, at double precision, PRIMARY KEY (queue, name, at));
    CREATE TABLE @.pauses (queue text, name text, PRIMARY KEY (queue, name));`,
  `
    ALTER TABLE @.jobs DROP COLUMN IF EXISTS is_limited;
    DROP INDEX IF EXISTS @.jobs_order, @.jobs_due, @.jobs_failed, @.jobs_crashed, @.jobs_retried;
    UPDATE @.jobs SET state = CASE WHEN crashes > 0 THEN 'suspect'
      WHEN due <= extract(epoch FROM now()) * 1000 THEN 'ready' ELSE 'later' END WHERE state = 'waiting';
    CREATE INDEX jobs_ready ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'ready';
    CREATE INDEX jobs_suspect ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'suspect';
    CREATE INDEX jobs_later ON @.jobs (queue, due) WHERE state = 'later';
    CREATE INDEX jobs_retried ON @.jobs (queue, state, name, seq) WHERE attempt > 0 AND ${waiting};
    DELETE FROM @.counts;
    INSERT INTO @.counts SELECT queue, name, state, count(*) FROM @.jobs GROUP BY 1, 2, 3;`,
];

// Every change adds a row with a difference. A row with the number would make all processes wait for each other until
// the transaction of an application ends. The rows are added up from time to time.
function changed(name: string, event: string, tables: string, rows: string): string {
  return `
  CREATE FUNCTION @.count_${name}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO @.counts SELECT queue, name, state, sum(n) FROM (${rows}) changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_${name} AFTER ${event} ON @.jobs REFERENCING ${tables} FOR EACH STATEMENT
    EXECUTE FUNCTION @.count_${name}();`;
}
const enters = "SELECT queue, name, state, 1 AS n FROM entering";
const leaves = "SELECT queue, name, state, -1 AS n FROM leaving";

// The job that waits for a batch is due at the end of its last job. A deleted job has no new values. The trigger runs
// after the change, which may include both jobs.
const batches = `
  CREATE FUNCTION @.ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE @.jobs SET in_batch = false WHERE id = OLD.id;
    UPDATE @.jobs SET pending = pending - 1, due = CASE WHEN pending <= 1 THEN coalesce(NEW.finished, OLD.added) ELSE due END,
      state = CASE WHEN pending <= 1 AND state = 'later' THEN 'ready' ELSE state END,
      failed_in_batch = failed_in_batch + CASE WHEN NEW.state = 'failed' THEN 1 ELSE 0 END WHERE id = OLD.batch;
    PERFORM pg_notify('@', '');
    RETURN NULL;
  END $$;
  CREATE TRIGGER ended AFTER UPDATE OF state ON @.jobs FOR EACH ROW
    WHEN (NEW.in_batch AND NEW.state IN ('done', 'failed', 'canceled')) EXECUTE FUNCTION @.ended();
  CREATE TRIGGER dropped AFTER DELETE ON @.jobs FOR EACH ROW WHEN (OLD.in_batch) EXECUTE FUNCTION @.ended();`;

const folding = `
  CREATE FUNCTION @.fold_counts() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM (SELECT FROM @.counts LIMIT 1000) AS few) = 1000
      AND pg_try_advisory_xact_lock(@.lock_of('counts', NULL, NULL)) THEN
      WITH folded AS (DELETE FROM @.counts RETURNING *)
      INSERT INTO @.counts SELECT queue, name, state, sum(count) FROM folded GROUP BY 1, 2, 3 HAVING sum(count) <> 0;
    END IF;
  END $$;
  CREATE OR REPLACE VIEW @.kinds AS
    SELECT queue, name, state, sum(count)::bigint AS count FROM @.counts GROUP BY 1, 2, 3 HAVING sum(count) > 0;`;

/** Replaces all functions. Those of an earlier version may have other types. */
const functions = `
  FOR old IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = '@'::regnamespace LOOP
    EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', old.name);
  END LOOP;
  ${claimFunctions}
  ${changeFunctions}
  ${folding}
  ${changed("added", "INSERT", "NEW TABLE AS entering", enters)}
  ${changed("deleted", "DELETE", "OLD TABLE AS leaving", leaves)}
  ${changed("changed", "UPDATE", "OLD TABLE AS leaving NEW TABLE AS entering", `${leaves} UNION ALL ${enters}`)}
  ${batches}`;

/** The version of the tables that this version of fw uses. */
export const tablesVersion: number = migrations.length;

/**
 * Returns the statement that creates and updates the tables. It does nothing if they are of a newer version.
 *
 * @param schema The name of the schema.
 */
export function migrationOf(schema: string): string {
  const steps = migrations.map((step, version) => `IF installed < ${version + 1} THEN ${step} END IF;`);
  // The schema is looked up first, because its creation requires a privilege even if it exists.
  return `
    DO $migration$
    DECLARE
      installed integer := 0;
      old record;
    BEGIN
      PERFORM set_config('client_min_messages', 'warning', true);
      PERFORM pg_advisory_xact_lock(hashtextextended('@ migration', 0));
      IF to_regnamespace('@') IS NULL THEN CREATE SCHEMA @; END IF;
      IF to_regclass('@.version') IS NULL THEN CREATE TABLE @.version (version integer NOT NULL);
      ELSE SELECT max(version) INTO installed FROM @.version; END IF;
      IF installed < ${tablesVersion} THEN
        ${steps.join("\n")}
        ${functions}
        DELETE FROM @.version;
        INSERT INTO @.version VALUES (${tablesVersion});
      END IF;
    END $migration$`.replaceAll("@", schema);
}
