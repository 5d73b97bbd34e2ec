/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { ticksKeptFor } from "./job_columns.ts";
import { idsIn, jsonFunction, record, statements } from "./postgres_functions.ts";

// Jobs are locked in a fixed order, so that two calls with the same jobs do not wait for each other.
const lock = "PERFORM FROM @.jobs WHERE id = ANY (ids) AND state = 'running' ORDER BY seq FOR UPDATE;";
// Only a limit makes other processes wait for the end of a job, so they are not notified if a claim without limits
// follows.
const finish = `
  ${lock}
  WITH j AS (${statements["end"]}) SELECT array_agg(claim) INTO ended FROM j;
  IF coalesce(cardinality(ended), 0) < cardinality(ids) THEN
    WITH j AS (${statements["finish"]}) SELECT ended || array_agg(claim) INTO ended FROM j;
  END IF;
  IF EXISTS (SELECT FROM jsonb_array_elements(input->'Endings') e WHERE e->>'State' = 'waiting') THEN
    PERFORM @.hold_keys(ids, now);
  END IF;
  IF coalesce(input->'Limits' || input->'GroupLimits', 'null') <> '{}' THEN PERFORM pg_notify('@', ''); END IF;
  output := to_json(ended);`;

/** Returns a statement that stores rows in `output`, as objects with the columns or as something else. */
function rowsOf(sql = "", row = "j"): string {
  return `WITH j AS (${sql}) SELECT json_agg(${row}) INTO output FROM j;`;
}

/** Returns a statement that changes rows and stores their number in `output`. */
function counted(change = ""): string {
  return `WITH changed AS (${change} RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;`;
}

/** Returns functions that consist of the statement with the same name. */
function single(names: string, body: (sql: string) => string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, body(statements[name] as string)]));
}

/** The functions without other variables than `ids`. */
const bodies: Readonly<Record<string, string>> = {
  ...single("get unreported", (sql) => rowsOf(sql, record)),
  ...single("pauses schedule schedules", (sql) => rowsOf(sql)),
  // Without a worker that sweeps, nothing else adds up the numbers of jobs.
  ...single("list", (sql) => `PERFORM @.fold_counts(); ${rowsOf(sql, record)}`),
  ...single("kinds stats", (sql) => `PERFORM @.fold_counts(); ${rowsOf(sql)}`),
  ...single("cancel hurry remove", (sql) => `PERFORM pg_notify('@', ''); ${counted(sql)}`),
  ...single("retry", (sql) => `PERFORM pg_notify('@', ''); ${counted(sql)} PERFORM @.hold_keys(ids, now);`),
  ...single("report reported started unschedule", (sql) => `${sql}; output := to_json(FOUND);`),
  sweep: `
    DELETE FROM @.starts WHERE until <= now;
    DELETE FROM @.ticks WHERE at <= now - ${ticksKeptFor};
    PERFORM @.fold_counts();
    ${counted(statements["sweep"])}`,
  pause: `
    PERFORM pg_notify('@', '');
    IF (input->>'IsPaused')::boolean THEN ${statements["pause"]}; ELSE ${statements["resume"]}; END IF;
    output := to_json(FOUND);`,
  tick: `
    ${statements["tick"]};
    output := to_json(FOUND);
    IF FOUND THEN
      ${statements["ticked"]};
      PERFORM @.add(input || jsonb_build_object('Jobs', jsonb_build_array(input->'Job')));
    END IF;`,
};

/** The definitions of the functions. `@` represents the schema. */
export const changeFunctions: string = [
  jsonFunction("renew", `${lock} ${rowsOf(statements["renew"])}`, idsIn("Claims")),
  jsonFunction("finish", finish, `${idsIn("Endings")} ended text[];`),
  // The functions that it calls have the settings and check the version. Doing so twice would take 9 % longer.
  `CREATE FUNCTION @.finish_and_claim(input jsonb) RETURNS json LANGUAGE plpgsql AS $$
    BEGIN RETURN json_build_array(@.finish(input), @.claim(input)); END $$;`,
  ...Object.entries(bodies).map(([name, body]) => jsonFunction(name, body)),
].join("\n");
