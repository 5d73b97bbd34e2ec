/**
 * Functions and triggers in PostgreSQL for the numbers of jobs and for batches.
 *
 * @module
 */

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

const batches = `
  CREATE FUNCTION @.end_in_batch(of_batch text, failures integer, now double precision) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE @.jobs SET pending = pending - 1, failed_in_batch = failed_in_batch + failures,
      due = CASE WHEN pending <= 1 THEN now ELSE due END WHERE id = of_batch;
    PERFORM pg_notify('@', '');
  END $$;
  CREATE FUNCTION @.ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.in_batch := false;
    PERFORM @.end_in_batch(NEW.batch, CASE WHEN NEW.state = 'failed' THEN 1 ELSE 0 END, NEW.finished);
    RETURN NEW;
  END $$;
  CREATE FUNCTION @.dropped() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM @.end_in_batch(OLD.batch, 0, OLD.added);
    RETURN NULL;
  END $$;
  CREATE TRIGGER ended BEFORE UPDATE ON @.jobs FOR EACH ROW
    WHEN (OLD.in_batch AND NEW.state IN ('done', 'failed', 'canceled')) EXECUTE FUNCTION @.ended();
  CREATE TRIGGER dropped AFTER DELETE ON @.jobs FOR EACH ROW WHEN (OLD.in_batch) EXECUTE FUNCTION @.dropped();`;

const folding = `
  CREATE FUNCTION @.fold_counts() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_try_advisory_xact_lock(@.lock_of('counts', NULL, NULL)) THEN
      WITH folded AS (DELETE FROM @.counts RETURNING *)
      INSERT INTO @.counts SELECT queue, name, state, sum(count) FROM folded GROUP BY 1, 2, 3 HAVING sum(count) <> 0;
    END IF;
  END $$;
  CREATE OR REPLACE VIEW @.kinds AS
    SELECT queue, name, state, sum(count)::bigint AS count FROM @.counts GROUP BY 1, 2, 3 HAVING sum(count) > 0;`;

/** The definitions of the functions and triggers. `@` represents the schema. */
export const countFunctions: string = [
  folding,
  changed("added", "INSERT", "NEW TABLE AS entering", enters),
  changed("deleted", "DELETE", "OLD TABLE AS leaving", leaves),
  changed("changed", "UPDATE", "OLD TABLE AS leaving NEW TABLE AS entering", `${leaves} UNION ALL ${enters}`),
  batches,
].join("\n");
