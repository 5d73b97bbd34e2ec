/**
 * The functions in PostgreSQL that add and claim jobs.
 *
 * @module
 */

import { leaseExpired } from "../store.ts";
import { columns, properties, untilBatchEnds } from "./job_columns.ts";
import { jsonFunction, usesIndex } from "./postgres_functions.ts";

const fields = properties.map((name, i) => `'${name}', job.${columns[i]}`).join(", ");

const helpers = `
  CREATE FUNCTION @.lock_of(kind text, queue text, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(json_build_array('@', kind, queue, key)::text, 0)
  $$;
  CREATE FUNCTION @.record_of(job @.jobs) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(${fields})
  $$;`;

// A job takes a key from a finished or running one whose period has ended. Waiting jobs hold their keys again unless
// others hold them. That does not wait for a transaction that is adding a job with the same key, which may take long:
// the other job has the key then.
const keys = `
  CREATE FUNCTION @.free_key(of_queue text, of_key text, now double precision) RETURNS void LANGUAGE sql AS $$
    UPDATE @.jobs SET holds_key = false
    WHERE queue = of_queue AND key = of_key AND holds_key AND state <> 'waiting' AND coalesce(key_until <= now, true)
  $$;
  CREATE FUNCTION @.hold_keys(ids text[], now double precision) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    job record;
  BEGIN
    FOR job IN SELECT id, queue, key FROM @.jobs WHERE id = ANY (ids) AND key IS NOT NULL ORDER BY seq LOOP
      IF pg_try_advisory_xact_lock(@.lock_of('key', job.queue, job.key)) THEN
        PERFORM @.free_key(job.queue, job.key, now);
        UPDATE @.jobs SET holds_key = true WHERE id = job.id AND NOT EXISTS (
          SELECT FROM @.jobs other WHERE other.queue = job.queue AND other.key = job.key AND other.holds_key
        );
      END IF;
    END LOOP;
  END $$;`;

const newJobs = `json_to_recordset(input->'Jobs') AS j(
    "ID" text, "Queue" text, "Name" text, "Data" text, "Due" double precision, "Priority" double precision,
    "MaxAttempts" integer, "Key" text, "KeyUntil" double precision, "Group" text, "Trace" text, "Batch" text,
    "Pending" integer
  )`;
function insert(job: string): string {
  return `
  INSERT INTO @.jobs (
    id, queue, name, data, due, priority, max_attempts, key, key_until, holds_key, group_name, trace, added, batch,
    in_batch, pending
  ) SELECT ${job}."ID", ${job}."Queue", ${job}."Name", ${job}."Data",
    CASE WHEN ${job}."Pending" > 0 THEN ${untilBatchEnds} ELSE ${job}."Due" END, ${job}."Priority", ${job}."MaxAttempts",
    ${job}."Key", ${job}."KeyUntil", ${job}."Key" IS NOT NULL, ${job}."Group", ${job}."Trace", now, ${job}."Batch",
    ${job}."Batch" IS NOT NULL, coalesce(${job}."Pending", 0)`;
}

// Jobs without keys are added by one statement. The keys are locked in a fixed order, so that two calls with the same
// keys do not wait for each other. If no job holds a key that another one held, that job was claimed or deleted in the
// meantime.
const add = `
  PERFORM pg_notify('@', '');
  IF NOT (input->>'HasKeys')::boolean THEN
    ${insert("j")} FROM ${newJobs};
    RETURN 'null';
  END IF;
  PERFORM pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT @.lock_of('key', j->>'Queue', j->>'Key') AS lock FROM json_array_elements(input->'Jobs') j
    WHERE j->>'Key' IS NOT NULL ORDER BY 1
  ) locks;
  FOR job IN SELECT * FROM ${newJobs} LOOP
    LOOP
      IF job."Key" IS NOT NULL THEN PERFORM @.free_key(job."Queue", job."Key", now); END IF;
      ${insert("job")} ON CONFLICT (queue, key) WHERE holds_key DO NOTHING;
      holder := job."ID";
      EXIT WHEN FOUND;
      SELECT id INTO holder FROM @.jobs WHERE queue = job."Queue" AND key = job."Key" AND holds_key;
      EXIT WHEN FOUND;
    END LOOP;
    IF holder <> job."ID" AND job."Batch" IS NOT NULL THEN PERFORM @.end_in_batch(job."Batch", 0, now); END IF;
    added := added || json_build_object('ID', holder, 'IsNew', holder = job."ID");
  END LOOP;
  output := array_to_json(added);`;

// Only a crash of a job that was alone in its process uses up an attempt: another job may have caused the crash.
const expire = `
  CREATE FUNCTION @.expire(of_queue text, now double precision, next_report double precision) RETURNS json
  LANGUAGE plpgsql AS $$
  DECLARE
    keyed text[];
    failed json;
  BEGIN
    WITH expired AS (
      SELECT seq, CASE WHEN is_canceled THEN 'canceled' WHEN is_alone AND attempt >= max_attempts THEN 'failed'
        ELSE 'waiting' END AS ending
      FROM @.jobs WHERE queue = of_queue AND state = 'running' AND lease_until <= now
      ORDER BY seq FOR UPDATE SKIP LOCKED
    ), ended AS (
      UPDATE @.jobs j SET
        state = ending,
        finished = CASE WHEN ending <> 'waiting' THEN now END,
        report_at = CASE WHEN ending = 'failed' THEN next_report END,
        attempt = attempt - CASE WHEN ending = 'waiting' AND NOT is_alone THEN 1 ELSE 0 END,
        crashes = CASE WHEN ending = 'waiting' THEN crashes + 1 ELSE 0 END,
        lease_until = NULL,
        is_canceled = false,
        is_alone = false,
        error = '${leaseExpired}'
      FROM expired WHERE j.seq = expired.seq RETURNING j.seq, j.id, j.key, j.state, @.record_of(j) AS record
    ) SELECT array_agg(id) FILTER (WHERE state = 'waiting' AND key IS NOT NULL),
      coalesce(json_agg(record ORDER BY seq) FILTER (WHERE state = 'failed'), '[]') INTO keyed, failed FROM ended;
    IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
    RETURN failed;
  END $$;`;

// Returns the number of jobs that the limits allow to start, and the time at which they allow more.
const room = `
  CREATE FUNCTION @.room(limits json, of_queue text, of_group text, now double precision, wanted integer,
    OUT free integer, OUT free_at double precision) LANGUAGE plpgsql AS $$
  DECLARE
    max_running integer := limits->>'MaxRunning';
    rate integer := limits->'Rate'->>'Limit';
    starts_of text := coalesce('group ' || of_group, 'queue');
  BEGIN
    free := wanted;
    IF max_running IS NOT NULL THEN
      free := least(free, max_running - (
        SELECT count(*) FROM @.jobs WHERE queue = of_queue AND state = 'running' AND lease_until > now
          AND (of_group IS NULL OR group_name = of_group)
      ));
    END IF;
    IF rate IS NOT NULL THEN
      DELETE FROM @.starts WHERE queue = of_queue AND group_name = starts_of AND until <= now;
      free := least(free, rate - (SELECT count(*) FROM @.starts WHERE queue = of_queue AND group_name = starts_of));
      SELECT until INTO free_at FROM @.starts WHERE queue = of_queue AND group_name = starts_of
        ORDER BY until DESC OFFSET rate - 1 LIMIT 1;
    END IF;
  END $$;`;

const start = `
  CREATE FUNCTION @.start(ids text[], input json) RETURNS json[] LANGUAGE plpgsql AS $$
  DECLARE
    now double precision := coalesce(input->>'StartsAt', input->>'Now');
    queue_period double precision := input->'Limits'->'Rate'->>'Period';
    group_period double precision := input->'GroupLimits'->'Rate'->>'Period';
    jobs json[];
  BEGIN
    IF cardinality(ids) = 0 THEN RETURN '{}'; END IF;
    WITH started AS (
      UPDATE @.jobs j SET
        state = 'running',
        attempt = attempt + 1,
        token = token + 1,
        lease_until = (input->>'LeaseUntil')::double precision,
        holds_key = holds_key AND key_until IS NOT NULL,
        is_limited = (input->>'IsLimited')::boolean,
        is_alone = coalesce((input->>'IsAlone')::boolean, false)
      WHERE id = ANY (ids) RETURNING id, queue, group_name, @.record_of(j) AS record
    ), queue_starts AS (
      INSERT INTO @.starts SELECT queue, 'queue', now + queue_period FROM started WHERE queue_period IS NOT NULL
    ), group_starts AS (
      INSERT INTO @.starts SELECT queue, 'group ' || group_name, now + group_period FROM started
      WHERE group_period IS NOT NULL AND group_name IS NOT NULL
    ) SELECT array_agg(record ORDER BY array_position(ids, id)) INTO jobs FROM started;
    RETURN coalesce(jobs, '{}');
  END $$;`;

const claimVariables = `
  of_queue text := input->>'Queue';
  names text[] := ARRAY(
    SELECT name FROM json_array_elements_text(input->'Names') AS name
    WHERE NOT EXISTS (SELECT FROM @.pauses p WHERE p.queue = input->>'Queue' AND p.name IN (name.name, ''))
  );
  wanted integer := input->>'Count';
  is_limited boolean := input->>'IsLimited';
  full_groups text[] := '{}';
  room record;
  group_room record;
  job record;
  expired json := '[]';
  claimed json[] := '{}';
  crashed integer;
  next double precision;`;

// The planner has to know whether the jobs have crashed, so that it uses their index.
function claimFrom(which: string): string {
  return `
  IF NOT (input->>'HasGroupLimits')::boolean THEN
    claimed := claimed || @.start(ARRAY(
      SELECT id FROM @.jobs
      WHERE queue = of_queue AND state = 'waiting' AND ${which} AND due <= now AND name = ANY (names)
      ORDER BY priority DESC, due, seq LIMIT greatest(room.free - cardinality(claimed), 0) FOR UPDATE SKIP LOCKED
    ), input);
  ELSE
    WHILE cardinality(claimed) < room.free LOOP
      SELECT id, group_name INTO job FROM @.jobs
      WHERE queue = of_queue AND state = 'waiting' AND ${which} AND due <= now AND name = ANY (names)
        AND (group_name IS NULL OR group_name <> ALL (full_groups))
      ORDER BY priority DESC, due, seq LIMIT 1 FOR UPDATE SKIP LOCKED;
      EXIT WHEN NOT FOUND;
      IF job.group_name IS NOT NULL THEN
        SELECT * INTO group_room FROM @.room(input->'GroupLimits', of_queue, job.group_name, now, 1);
        IF group_room.free < 1 THEN
          full_groups := full_groups || job.group_name;
          next := least(next, group_room.free_at);
          CONTINUE;
        END IF;
      END IF;
      claimed := claimed || @.start(ARRAY[job.id], input);
    END LOOP;
  END IF;`;
}

// With limits, there is one claim at a time, so that no two of them count the same room.
const claim = `
  IF EXISTS (SELECT FROM @.jobs WHERE queue = of_queue AND state = 'running' AND lease_until <= now) THEN
    expired := @.expire(of_queue, now, (input->>'ReportAt')::double precision);
  END IF;
  SELECT wanted AS free INTO room;
  IF is_limited THEN
    PERFORM pg_advisory_xact_lock(@.lock_of('claim', of_queue, NULL));
    SELECT * INTO room FROM @.room(input->'Limits', of_queue, NULL, now, wanted);
  END IF;
  IF input->>'Crashed' <> 'only' THEN ${claimFrom("crashes = 0")} END IF;
  IF input->>'Crashed' <> 'exclude' THEN ${claimFrom("crashes > 0")} END IF;
  SELECT crashes INTO crashed FROM @.jobs
  WHERE queue = of_queue AND state = 'waiting' AND crashes > 0 AND due <= now AND name = ANY (names)
  ORDER BY priority DESC, due, seq LIMIT 1;
  IF cardinality(claimed) = wanted THEN
    next := now;
  ELSE
    IF is_limited THEN next := least(next, (@.room(input->'Limits', of_queue, NULL, now, wanted)).free_at); END IF;
    next := least(
      next,
      (SELECT min(due) FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND due > now),
      (SELECT min(lease_until) FROM @.jobs WHERE queue = of_queue AND state = 'running')
    );
  END IF;
  output := json_build_object('Jobs', array_to_json(claimed), 'Expired', expired, 'Next', next,
    'Crashes', coalesce(crashed, 0));`;

/** The definitions of the functions. `@` represents the schema. */
export const claimFunctions: string = [
  helpers,
  keys,
  jsonFunction("add", add, { variables: "job record; holder text; added json[] := '{}';", settings: usesIndex }),
  expire,
  room,
  start,
  jsonFunction("claim", claim, { variables: claimVariables, settings: `${usesIndex} SET enable_sort = off` }),
].join("\n");
