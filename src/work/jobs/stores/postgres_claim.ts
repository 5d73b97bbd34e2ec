/**
 * The functions in PostgreSQL that add and claim jobs.
 *
 * @module
 */

import { untilBatchEnds } from "./job_columns.ts";
import { jsonFunction, record, startEnd, statements } from "./postgres_functions.ts";
import { jobColumns } from "./statements.ts";

// A job takes a key from a finished or running one whose period has ended. Waiting jobs hold their keys again unless
// others hold them. That does not wait for a transaction that is adding a job with the same key, which may take long:
// the other job has the key then. The arguments of a function have one collation, and the index needs that of the key.
const keys = `
  CREATE FUNCTION @.lock_of(kind text, queue text, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(json_build_array('@', kind, queue, key)::text, 0)
  $$;
  CREATE FUNCTION @.free_key(of_queue text, of_key text, now double precision) RETURNS void LANGUAGE sql AS $$
    UPDATE @.jobs SET holds_key = false WHERE queue = of_queue AND key = of_key COLLATE "default" AND holds_key
      AND state <> 'waiting' AND coalesce(key_until <= now, true)
  $$;
  CREATE FUNCTION @.hold_keys(ids text[], now double precision) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE job record;
  BEGIN
    FOR job IN SELECT id, queue, key FROM @.jobs
      WHERE id = ANY (ids) AND key IS NOT NULL AND state = 'waiting' ORDER BY seq LOOP
      IF pg_try_advisory_xact_lock(@.lock_of('key', job.queue, job.key)) THEN
        PERFORM @.free_key(job.queue, job.key, now);
        UPDATE @.jobs SET holds_key = true WHERE id = job.id AND NOT EXISTS (
          SELECT FROM @.jobs other WHERE other.queue = job.queue AND other.key = job.key AND other.holds_key
        );
      END IF;
    END LOOP;
  END $$;`;

const newJobs = `jsonb_to_recordset(input->'Jobs') AS j("ID" text, "Queue" text, "Name" text, "Data" text,
    "Due" double precision, "Priority" double precision, "MaxAttempts" integer, "Key" text, "KeyUntil" double precision,
    "Group" text, "Trace" text, "Batch" text, "Pending" integer)`;
const insert = `
  INSERT INTO @.jobs (id, queue, name, data, due, priority, max_attempts, key, key_until, holds_key, group_name, trace,
    added, batch, in_batch, pending)
  SELECT j."ID", j."Queue", j."Name", j."Data", CASE WHEN j."Pending" > 0 THEN ${untilBatchEnds} ELSE j."Due" END,
    j."Priority", j."MaxAttempts", j."Key", j."KeyUntil", j."Key" IS NOT NULL, j."Group", j."Trace", now, j."Batch",
    j."Batch" IS NOT NULL, coalesce(j."Pending", 0)`;

// Jobs without keys are added by one statement. The keys are locked in a fixed order, so that two calls with the same
// keys do not wait for each other. If no job holds a key that another one held, that job was claimed or deleted in the
// meantime.
const add = `
  PERFORM pg_notify('@', '');
  IF NOT EXISTS (SELECT FROM jsonb_array_elements(input->'Jobs') each WHERE each->>'Key' IS NOT NULL) THEN
    WITH j AS (${insert} FROM ${newJobs} RETURNING id)
    SELECT json_agg(json_build_object('ID', id, 'IsNew', true)) INTO output FROM j;
    RETURN coalesce(output, '[]');
  END IF;
  PERFORM pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT @.lock_of('key', "Queue", "Key") AS lock FROM ${newJobs} WHERE "Key" IS NOT NULL ORDER BY 1
  ) locks;
  FOR job IN SELECT * FROM ${newJobs} LOOP
    LOOP
      IF job."Key" IS NOT NULL THEN PERFORM @.free_key(job."Queue", job."Key", now); END IF;
      ${insert.replaceAll("j.", "job.")} ON CONFLICT (queue, key) WHERE holds_key DO NOTHING;
      holder := job."ID";
      EXIT WHEN FOUND;
      SELECT id INTO holder FROM @.jobs WHERE queue = job."Queue" AND key = job."Key" AND holds_key;
      EXIT WHEN FOUND;
    END LOOP;
    IF holder <> job."ID" AND job."Batch" IS NOT NULL THEN PERFORM @.end_in_batch(job."Batch", 0, now); END IF;
    added := added || json_build_object('ID', holder, 'IsNew', holder = job."ID");
  END LOOP;
  output := array_to_json(added);`;

const expire = `
  WITH j AS (${statements["expire"]})
  SELECT array_agg(id) FILTER (WHERE key IS NOT NULL), json_agg(${record}) FILTER (WHERE state = 'failed')
  INTO keyed, expired FROM j;
  IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;`;

// Returns the number of jobs that the limits allow to start, and the time at which they allow more.
const room = `
  CREATE FUNCTION @.room(limits jsonb, of_queue text, of_group text, now double precision, wanted integer,
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

const claimVariables = `
  names text[] := ARRAY(
    SELECT name FROM jsonb_array_elements_text(input->'Names') AS name
    WHERE NOT EXISTS (SELECT FROM @.pauses p WHERE p.queue = input->>'Queue' AND p.name IN (name.name, ''))
  );
  wanted integer := input->>'Count';
  groups_have_limits boolean := input->'GroupLimits' <> '{}';
  has_limits boolean := groups_have_limits OR input->'Limits' <> '{}';
  places tid[] := '{}';
  taken_groups text[] := '{}';
  full_groups text[] := '{}';
  room record;
  job record;
  keyed text[];
  expired json;
  claimed json;
  crashed integer;
  next double precision;`;

// The planner has to know whether the jobs have crashed, so that it uses their index.
function find(crashes: string): string {
  const claimable = `queue = of_queue AND state = 'waiting' AND ${crashes} AND due <= now AND name = ANY (names)`;
  return `
  IF NOT groups_have_limits THEN
    places := places || ARRAY(
      SELECT ctid FROM @.jobs WHERE ${claimable} ORDER BY priority DESC, due, seq
      LIMIT greatest(room.free - cardinality(places), 0) FOR UPDATE SKIP LOCKED
    );
  ELSE
    WHILE cardinality(places) < room.free LOOP
      SELECT ctid, group_name INTO job FROM @.jobs WHERE ${claimable} AND ctid <> ALL (places)
        AND (group_name IS NULL OR group_name <> ALL (full_groups))
      ORDER BY priority DESC, due, seq LIMIT 1 FOR UPDATE SKIP LOCKED;
      EXIT WHEN NOT FOUND;
      IF job.group_name IS NOT NULL AND cardinality(array_positions(taken_groups, job.group_name))
        >= (@.room(input->'GroupLimits', of_queue, job.group_name, now, wanted)).free THEN
        full_groups := full_groups || job.group_name;
      ELSE
        places := places || job.ctid;
        taken_groups := taken_groups || job.group_name;
      END IF;
    END LOOP;
  END IF;`;
}

// A rate counts the start of each job in its queue and in its group.
function countStarts(of: string, limits: "Limits" | "GroupLimits"): string {
  return `INSERT INTO @.starts SELECT queue, ${of}, ${startEnd(limits)} FROM @.jobs
    WHERE ctid = ANY (places) AND ${of} IS NOT NULL AND input->'${limits}'->'Rate'->'Period' IS NOT NULL;`;
}

// With limits, there is one claim at a time, so that no two of them count the same room. The jobs are changed where
// they were found, without another search.
const claim = `
  IF EXISTS (SELECT FROM @.jobs WHERE queue = of_queue AND state = 'running' AND lease_until <= now) THEN
    ${expire}
  END IF;
  SELECT wanted AS free INTO room;
  IF has_limits THEN
    PERFORM pg_advisory_xact_lock(@.lock_of('claim', of_queue, NULL));
    SELECT * INTO room FROM @.room(input->'Limits', of_queue, NULL, now, wanted);
  END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'only' THEN ${find("crashes = 0")} END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'exclude' THEN ${find("crashes > 0")} END IF;
  IF has_limits THEN
    ${countStarts("'queue'", "Limits")}
    ${countStarts("'group ' || group_name", "GroupLimits")}
  END IF;
  WITH j AS (
    UPDATE @.jobs SET state = 'running', attempt = attempt + 1, token = token + 1,
      lease_until = (input->>'LeaseUntil')::double precision, holds_key = holds_key AND key_until IS NOT NULL,
      is_limited = has_limits, is_alone = coalesce((input->>'IsAlone')::boolean, false)
    WHERE ctid = ANY (places) RETURNING ${jobColumns}
  ) SELECT json_agg(${record}) INTO claimed FROM j;
  SELECT crashes INTO crashed FROM @.jobs
  WHERE queue = of_queue AND state = 'waiting' AND crashes > 0 AND due <= now AND name = ANY (names)
  ORDER BY priority DESC, due, seq LIMIT 1;
  IF cardinality(places) = wanted THEN
    next := now;
  ELSE
    IF has_limits THEN
      next := least((@.room(input->'Limits', of_queue, NULL, now, wanted)).free_at, (SELECT min((
        @.room(input->'GroupLimits', of_queue, full_group, now, wanted)).free_at) FROM unnest(full_groups) full_group));
    END IF;
    next := least(next, (SELECT min(due) FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND due > now),
      (SELECT min(lease_until) FROM @.jobs WHERE queue = of_queue AND state = 'running'));
  END IF;
  output := json_build_array(coalesce(claimed, '[]'), coalesce(expired, '[]'), next, coalesce(crashed, 0));`;

/** The definitions of the functions. `@` represents the schema. */
export const claimFunctions: string = [
  keys,
  room,
  jsonFunction("add", add, "job record; holder text; added json[] := '{}';"),
  jsonFunction("claim", claim, claimVariables, "SET enable_sort = off"),
].join("\n");
