/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { mostCounted, ticksKeptFor } from "./job_columns.ts";
import { idsIn, jsonFunction, record, startEnd, statements } from "./postgres_functions.ts";
import { scheduleColumns } from "./statements.ts";

// Jobs are locked in a fixed order, so that two calls with the same jobs do not wait for each other. Then they are
// changed where they were found.
const lock =
  "places := ARRAY(SELECT ctid FROM @.jobs WHERE id = ANY (ids) AND state = 'running' ORDER BY seq FOR UPDATE);";

/** Returns the rest of a statement that changes jobs `j` by their claims. */
function by(claims: string): string {
  return `jsonb_array_elements(input->'${claims}') claim
    WHERE j.ctid = ANY (places) AND j.id = claim->>'ID' AND token = (claim->>'Token')::integer`;
}

const renew = `
  ${lock}
  WITH renewed AS (
    UPDATE @.jobs j SET lease_until = (input->>'Until')::double precision,
      is_alone = is_alone AND (claim->>'IsShared')::boolean IS NOT TRUE
    FROM ${by("Claims")} RETURNING id, CASE WHEN is_canceled THEN 'canceled' ELSE 'renewed' END AS renewal
  ) SELECT json_agg(coalesce(renewal, 'lost') ORDER BY n) INTO output
    FROM unnest(ids) WITH ORDINALITY AS claim(id, n) LEFT JOIN renewed USING (id);`;

// Only a limit makes other processes wait for the end of a job, so only then are they notified.
const isOver = "(claim->>'KeepUntil')::double precision <= now AND claim->>'ReportAt' IS NULL";
const finish = `
  ${lock}
  IF EXISTS (SELECT FROM jsonb_array_elements(input->'Endings') claim WHERE ${isOver}) THEN
    WITH ended AS (
      DELETE FROM @.jobs j USING ${by("Endings")} AND ${isOver} AND claim->>'State' <> 'waiting'
        AND coalesce(key_until <= now, true) RETURNING id, is_limited
    ) SELECT coalesce(array_agg(id), '{}'), bool_or(is_limited) INTO deleted, had_limits FROM ended;
  END IF;
  IF cardinality(deleted) < cardinality(places) THEN
    WITH ended AS (
      UPDATE @.jobs j SET state = claim->>'State', lease_until = NULL, is_canceled = false, is_alone = false,
        attempt = attempt - CASE WHEN (claim->>'IsReleased')::boolean THEN 1 ELSE 0 END,
        crashes = CASE WHEN (claim->>'IsReleased')::boolean THEN crashes ELSE 0 END,
        due = coalesce((claim->>'Due')::double precision, due), result = claim->>'Result',
        error = CASE WHEN claim->'Error' IS NULL THEN error ELSE claim->>'Error' END,
        keep_until = (claim->>'KeepUntil')::double precision, report_at = (claim->>'ReportAt')::double precision,
        finished = CASE WHEN claim->>'State' <> 'waiting' THEN now END
      FROM ${by("Endings")} RETURNING id, is_limited, state = 'waiting' AND key IS NOT NULL AS is_keyed
    ) SELECT deleted || array_agg(id), had_limits OR bool_or(is_limited), array_agg(id) FILTER (WHERE is_keyed)
      INTO deleted, had_limits, keyed FROM ended;
    IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
  END IF;
  IF had_limits THEN PERFORM pg_notify('@', ''); END IF;
  output := to_json(ARRAY(SELECT id = ANY (deleted) FROM unnest(ids) id));`;

const finishVariables = `${idsIn("Endings")} places tid[]; deleted text[] := '{}'; keyed text[]; had_limits boolean;`;

// The pages of all kinds are merged, because no index contains the jobs of several kinds in their order. Running jobs
// are few, so they are in no index for lists, which every start would have to change.
const list = `
  SELECT json_agg(${record} ORDER BY j.seq DESC) INTO output FROM (
    SELECT page.ctid, seq FROM @.kinds kind CROSS JOIN LATERAL (
      SELECT ctid, seq FROM @.jobs WHERE queue = kind.queue AND state = kind.state AND state <> 'running' AND name = kind.name
        AND seq < before AND NOT is_retried ORDER BY seq DESC LIMIT most
    ) page WHERE kind.queue = coalesce(of_queue, kind.queue) AND kind.name = coalesce(of_name, kind.name)
      AND kind.state = coalesce(input->>'State', kind.state)
    UNION ALL
    SELECT ctid, seq FROM @.jobs WHERE state = 'running' AND queue = coalesce(of_queue, queue) AND seq < before
      AND name = coalesce(of_name, name) AND coalesce(input->>'State', state) = 'running' AND NOT is_retried
    UNION ALL
    SELECT page.ctid, seq FROM (
      SELECT DISTINCT queue FROM @.kinds WHERE queue = coalesce(of_queue, queue) AND state = 'waiting'
    ) kind CROSS JOIN LATERAL (
      SELECT ctid, seq FROM @.jobs WHERE queue = kind.queue AND state = 'waiting' AND attempt > 0 AND seq < before
        AND is_retried AND (of_name IS NULL OR name = of_name) ORDER BY seq DESC LIMIT most
    ) page
    ORDER BY seq DESC LIMIT most
  ) places JOIN @.jobs j ON j.ctid = places.ctid;`;

const listVariables = `
  before bigint := coalesce((input->>'Before')::bigint, ${Number.MAX_SAFE_INTEGER});
  most integer := input->>'Limit';
  is_retried boolean := coalesce((input->>'IsRetried')::boolean, false);`;

const schedule = `json_build_array(${scheduleColumns})`;

/** Returns a statement that changes rows and stores their number in `output`. */
function counted(change = ""): string {
  return `WITH changed AS (${change} RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;`;
}

// Jobs that are due are counted one by one up to a number, and so are the others, so that a long queue costs no more.
function countOf(due: string): string {
  return `(SELECT count(*) FROM (
        SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.${due} LIMIT ${mostCounted}
      ) counted)`;
}

/** Returns functions that consist of the statement with the same name. */
function single(names: string, body: (sql: string) => string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, body(statements[name] as string)]));
}

/** The functions without other variables than `ids`. */
const bodies: Readonly<Record<string, string>> = {
  ...single("get unreported", (sql) => `WITH j AS (${sql}) SELECT json_agg(${record}) INTO output FROM j;`),
  ...single("schedule", (sql) => `WITH changed AS (${sql}) SELECT ${schedule} INTO output FROM changed;`),
  ...single("cancel hurry remove", (sql) => `PERFORM pg_notify('@', ''); ${counted(sql)}`),
  ...single("retry", (sql) => `PERFORM pg_notify('@', ''); ${counted(sql)} PERFORM @.hold_keys(ids, now);`),
  ...single("report reported unschedule", (sql) => `${sql}; output := to_json(FOUND);`),
  started: `
    UPDATE @.starts SET until = until + (input->>'At')::double precision
      - coalesce((input->>'StartsAt')::double precision, now)
    WHERE queue = of_queue AND (
      group_name = 'queue' AND until = ${startEnd("Limits")} OR until = ${startEnd("GroupLimits")}
      AND group_name IN (SELECT 'group ' || jsonb_array_elements_text(input->'Groups'))
    );`,
  sweep: `
    DELETE FROM @.starts WHERE until <= now;
    DELETE FROM @.ticks WHERE at <= now - ${ticksKeptFor};
    PERFORM @.fold_counts();
    ${counted(statements["sweep"])}`,
  stats: `
    IF (SELECT count(*) FROM (SELECT FROM @.counts LIMIT ${mostCounted}) folded) = ${mostCounted} THEN
      PERFORM @.fold_counts();
    END IF;
    SELECT json_agg(counted ORDER BY counted."Queue") INTO output FROM (
      SELECT k.queue AS "Queue", json_agg(json_build_array(k.state, k.count)) AS "States",
        ${countOf("due <= now")} AS "Due", ${countOf("due > now")} AS "Later",
        (SELECT min(j.due) FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now) AS "OldestDue"
      FROM @.kinds k GROUP BY k.queue
    ) counted;`,
  kinds:
    "SELECT json_agg(json_build_array(name, state, count) ORDER BY name) INTO output FROM @.kinds WHERE queue = of_queue;",
  pause: `
    PERFORM pg_notify('@', '');
    IF (input->>'IsPaused')::boolean THEN ${statements["pause"]}; ELSE ${statements["resume"]}; END IF;
    output := to_json(FOUND);`,
  pauses: `SELECT json_agg(name ORDER BY name COLLATE "C") INTO output FROM @.pauses WHERE queue = of_queue;`,
  schedules: `SELECT json_agg(${schedule} ORDER BY queue, name) INTO output FROM @.schedules;`,
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
  jsonFunction("renew", renew, `${idsIn("Claims")} places tid[];`),
  jsonFunction("finish", finish, finishVariables),
  jsonFunction("finish_and_claim", "output := json_build_array(@.finish(input), @.claim(input));"),
  jsonFunction("list", list, listVariables),
  ...Object.entries(bodies).map(([name, body]) => jsonFunction(name, body)),
].join("\n");
