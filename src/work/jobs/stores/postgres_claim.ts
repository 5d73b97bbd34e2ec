/**
 * The functions in PostgreSQL that add and claim jobs.
 *
 * @module
 */

import { jsonFunction, record, statements } from "./postgres_functions.ts";
import { waiting } from "./statements.ts";

// Waiting jobs hold their keys again unless others hold them. That does not wait for a transaction that is adding a job
// with the same key, which may take long: the other job has the key then.
const keys = `
  CREATE FUNCTION @.lock_of(kind text, queue text, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(json_build_array('@', kind, queue, key)::text, 0)
  $$;
  CREATE FUNCTION @.hold_keys(ids text[], now double precision) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    of_id text;
    job record;
    input jsonb;
  BEGIN
    FOREACH of_id IN ARRAY coalesce(ids, '{}') LOOP
      SELECT id, queue, key INTO job FROM @.jobs WHERE id = of_id AND key IS NOT NULL AND ${waiting};
      IF FOUND AND pg_try_advisory_xact_lock(@.lock_of('key', job.queue, job.key)) THEN
        input := jsonb_build_object('Jobs', jsonb_build_array(jsonb_build_object('Queue', job.queue, 'Key', job.key)));
        ${statements["freeKeys"]};
        UPDATE @.jobs SET holds_key = true WHERE id = job.id AND NOT EXISTS (
          SELECT FROM @.jobs other WHERE other.queue = job.queue AND other.key = job.key AND other.holds_key
        );
      END IF;
    END LOOP;
  END $$;`;

// The keys are locked in a fixed order, so that two calls with the same keys do not wait for each other. If no job
// holds a key that another one held, that job was claimed or deleted in the meantime.
const add = `
  PERFORM pg_notify('@', '');
  PERFORM pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT @.lock_of('key', each->>'Queue', each->>'Key') AS lock FROM jsonb_array_elements(input->'Jobs') each
    WHERE each->>'Key' IS NOT NULL ORDER BY 1
  ) locks;
  is_keyed := FOUND;
  IF is_keyed THEN ${statements["freeKeys"]}; END IF;
  LOOP
    ${statements["add"]};
    EXIT WHEN NOT is_keyed;
    SELECT jsonb_agg(each) INTO missing FROM jsonb_array_elements(input->'Jobs') each
    JOIN (${statements["holders"]}) AS j ON j.id = each->>'ID' WHERE holder IS NULL;
    EXIT WHEN missing IS NULL;
    input := jsonb_set(input, '{Jobs}', missing);
  END LOOP;
  input := request;
  SELECT json_agg(j), bool_or(holder <> id) INTO output, is_held FROM (${statements["holders"]}) AS j;
  IF is_held THEN ${statements["leaveBatch"]}; END IF;`;

/** Returns the statements that claim jobs in a state, one after another if groups have limits. */
function claimOf(state: string): string {
  return `
  IF NOT groups_have_limits THEN
    WITH j AS (${statements[`claim ${state}`]})
    SELECT claimed || array_agg(to_json(${record})), array_agg(id) INTO claimed, ids FROM j;
    IF has_limits THEN ${statements["start"]}; END IF;
  END IF;
  WHILE groups_have_limits AND cardinality(claimed) < free LOOP
    SELECT * INTO job FROM (${statements[`next ${state}`]} FOR UPDATE SKIP LOCKED) AS next;
    EXIT WHEN NOT FOUND;
    scope := input->'GroupLimits';
    of_group := job.group_name;
    IF of_group IS NOT NULL AND (SELECT least(slots, starts) FROM (${statements["room"]}) AS room) <= 0 THEN
      full_groups := full_groups || of_group;
    ELSE
      ids := ARRAY[job.id];
      WITH j AS (${statements["claimOne"]}) SELECT claimed || array_agg(to_json(${record})) INTO claimed FROM j;
      ${statements["start"]};
    END IF;
  END LOOP;`;
}

// With limits, there is one claim at a time, so that no two of them count the same room.
const claim = `
  SELECT * INTO outlook FROM (${statements["outlook"]}) AS first;
  IF outlook.lease <= now THEN
    WITH j AS (${statements["expire"]})
    SELECT array_agg(id ORDER BY seq), json_agg(${record}) INTO ids, expired FROM j;
    PERFORM @.hold_keys(ids, now);
  END IF;
  IF outlook.due <= now THEN ${statements["promote"]}; END IF;
  IF has_limits THEN
    PERFORM pg_advisory_xact_lock(@.lock_of('claim', of_queue, NULL));
    SELECT least(wanted, slots, starts) INTO free FROM (${statements["room"]}) AS room;
  END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'only' THEN ${claimOf("ready")} END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'exclude' THEN ${claimOf("suspect")} END IF;
  IF cardinality(claimed) = wanted THEN
    next := now;
  ELSE
    SELECT least(lease, due) INTO next FROM (${statements["outlook"]}) AS last;
    IF has_limits THEN
      FOREACH of_group IN ARRAY full_groups || NULL::text LOOP
        scope := input->CASE WHEN of_group IS NULL THEN 'Limits' ELSE 'GroupLimits' END;
        next := least(next, (SELECT free_at FROM (${statements["room"]}) AS room));
      END LOOP;
    END IF;
  END IF;
  output := json_build_array(claimed, coalesce(expired, '[]'), next,
    coalesce((SELECT crashes FROM (${statements["next suspect"]}) AS next), 0));`;

const claimVariables = `
  names text[] := ARRAY(
    SELECT name FROM jsonb_array_elements_text(input->'Names') AS name
    WHERE NOT EXISTS (SELECT FROM @.pauses p WHERE p.queue = input->>'Queue' AND p.name IN (name.name, ''))
  );
  wanted integer := input->>'Count';
  free integer := wanted;
  groups_have_limits boolean := input->'GroupLimits' <> '{}';
  has_limits boolean := groups_have_limits OR input->'Limits' <> '{}';
  scope jsonb := input->'Limits';
  of_group text;
  full_groups text[] := '{}';
  outlook record;
  job record;
  ids text[];
  claimed json[] := '{}';
  expired json;
  next double precision;`;

/** The definitions of the functions. `@` represents the schema. */
export const claimFunctions: string = [
  keys,
  jsonFunction("add", add, "request jsonb := input; missing jsonb; is_keyed boolean; is_held boolean;"),
  jsonFunction("claim", claim, claimVariables, "SET enable_sort = off"),
].join("\n");
