/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { longestSkew, mostCounted, ticksKeptFor } from "./job_columns.ts";
import { idsIn, jsonFunction, record, startEnd } from "./postgres_functions.ts";

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
    SELECT page.ctid, seq FROM @.kinds_of(of_queue, of_name, coalesce(input->>'State',
      CASE WHEN is_retried THEN 'waiting' END)) kind CROSS JOIN LATERAL (
      SELECT ctid, seq FROM @.jobs WHERE queue = kind.queue AND state = kind.state AND state <> 'running' AND name = kind.name
        AND seq < before AND NOT is_retried ORDER BY seq DESC LIMIT most
    ) page
    UNION ALL
    SELECT ctid, seq FROM @.jobs WHERE state = 'running' AND queue = coalesce(of_queue, queue) AND seq < before
      AND name = coalesce(of_name, name) AND coalesce(input->>'State', state) = 'running' AND NOT is_retried
    UNION ALL
    SELECT page.ctid, seq FROM (
      SELECT DISTINCT queue FROM @.kinds_of(of_queue, NULL, 'waiting')
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

const schedule = "json_build_array(queue, name, cron, time_zone, job, data, last)";

/** Returns a statement that changes rows and stores their number in `output`. */
function counted(change: string): string {
  return `WITH changed AS (${change} RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;`;
}

/** Returns the condition for jobs by their IDs. They are locked in a fixed order, as in `finish`. */
function locked(condition: string): string {
  return `id IN (SELECT id FROM @.jobs WHERE id = ANY (ids) AND ${condition} ORDER BY seq FOR UPDATE)`;
}

const cancel = `
  UPDATE @.jobs SET is_canceled = state = 'running', finished = CASE WHEN state = 'waiting' THEN now END,
    state = CASE WHEN state = 'waiting' THEN 'canceled' ELSE state END
  WHERE ${locked("(state = 'waiting' OR state = 'running' AND NOT is_canceled)")}`;

const sweep = `
  DELETE FROM @.jobs WHERE id IN (
    SELECT id FROM @.jobs WHERE keep_until <= now AND coalesce(key_until <= now, true) AND report_at IS NULL
    ORDER BY keep_until LIMIT 1000 FOR UPDATE SKIP LOCKED
  )`;

// Jobs that are due are counted one by one up to a number, and so are the others, so that a long queue costs no more.
function countOf(due: string): string {
  return `(SELECT count(*) FROM (
        SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.${due} LIMIT ${mostCounted}
      ) counted)`;
}

/** The functions without other variables than `ids`. */
const bodies: Readonly<Record<string, string>> = {
  cancel: `
    PERFORM pg_notify('@', '');
    ${counted(cancel)}`,
  retry: `
    PERFORM pg_notify('@', '');
    WITH retried AS (
      UPDATE @.jobs SET state = 'waiting', attempt = 0, due = now, finished = NULL, keep_until = NULL, report_at = NULL
      WHERE ${locked("state IN ('failed', 'canceled')")} RETURNING id
    ) SELECT coalesce(array_agg(id), '{}') INTO ids FROM retried;
    PERFORM @.hold_keys(ids, now);
    output := to_json(cardinality(ids));`,
  hurry: `
    PERFORM pg_notify('@', '');
    ${counted(`UPDATE @.jobs SET due = least(due, now) WHERE ${locked("state = 'waiting'")}`)}`,
  remove: counted(`DELETE FROM @.jobs WHERE ${locked("state <> 'running'")}`),
  report: `
    UPDATE @.jobs SET progress = input->>'Progress'
    WHERE id = input->>'ID' AND token = (input->>'Token')::integer AND state = 'running';
    output := to_json(FOUND);`,
  get: `SELECT json_agg(${record}) INTO output FROM @.jobs j WHERE id = input->>'ID';`,
  reported: `UPDATE @.jobs SET report_at = NULL WHERE id = ANY (ids);`,
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
    ${counted(sweep)}`,
  unreported: `
    WITH found AS (
      SELECT id FROM @.jobs WHERE queue = of_queue AND report_at <= now
      ORDER BY report_at LIMIT 500 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE @.jobs j SET report_at = (input->>'Until')::double precision
      FROM found WHERE j.id = found.id RETURNING ${record} AS record
    ) SELECT json_agg(record) INTO output FROM taken;`,
  stats: `
    IF (SELECT count(*) FROM (SELECT FROM @.counts LIMIT ${mostCounted}) folded) = ${mostCounted} THEN
      PERFORM @.fold_counts();
    END IF;
    SELECT json_agg(counted ORDER BY counted."Queue" COLLATE "C") INTO output FROM (
      SELECT k.queue AS "Queue", json_agg(json_build_array(k.state, k.count)) AS "States",
        ${countOf("due <= now")} AS "Due", ${countOf("due > now")} AS "Later",
        (SELECT min(j.due) FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now) AS "OldestDue"
      FROM @.kinds_of(NULL, NULL, NULL) k GROUP BY k.queue
    ) counted;`,
  kinds: `
    SELECT json_agg(json_build_array(k.name, k.state, k.count) ORDER BY k.name COLLATE "C") INTO output
    FROM @.kinds_of(of_queue, NULL, NULL) k;`,
  pause: `
    PERFORM pg_notify('@', '');
    IF (input->>'IsPaused')::boolean THEN
      INSERT INTO @.pauses VALUES (of_queue, of_name) ON CONFLICT DO NOTHING;
    ELSE
      DELETE FROM @.pauses WHERE queue = of_queue AND name = of_name;
    END IF;
    output := to_json(FOUND);`,
  pauses: `SELECT json_agg(name ORDER BY name COLLATE "C") INTO output FROM @.pauses WHERE queue = of_queue;`,
  // The last tick may be later than the current time, if the clock was set back.
  schedule: `
    INSERT INTO @.schedules AS s VALUES (of_queue, of_name, input->>'Cron', input->>'TimeZone', now, input->>'Job',
      input->>'Data')
    ON CONFLICT (queue, name) DO UPDATE SET
      last = CASE WHEN (s.cron, s.time_zone) = (excluded.cron, excluded.time_zone) THEN s.last
        ELSE greatest(s.last, excluded.last) END,
      cron = excluded.cron, time_zone = excluded.time_zone, job = excluded.job, data = excluded.data
    RETURNING ${schedule} INTO output;`,
  schedules: `SELECT json_agg(${schedule} ORDER BY queue, name) INTO output FROM @.schedules;`,
  unschedule: `
    DELETE FROM @.schedules WHERE queue = of_queue AND name = of_name;
    output := to_json(FOUND);`,
  // A tick in the future was reported by a clock that was wrong, and does not prevent earlier ones.
  tick: `
    UPDATE @.schedules SET last = (input->>'At')::double precision WHERE queue = of_queue AND name = of_name
      AND (last < (input->>'At')::double precision OR last > now + ${longestSkew}) AND NOT EXISTS (
        SELECT FROM @.ticks t WHERE (t.queue, t.name, t.at) = (of_queue, of_name, (input->>'At')::double precision)
      );
    output := to_json(FOUND);
    IF FOUND THEN
      INSERT INTO @.ticks VALUES (of_queue, of_name, (input->>'At')::double precision);
      PERFORM @.add(input || jsonb_build_object('Jobs', jsonb_build_array(input->'Job'), 'HasKeys', false));
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
