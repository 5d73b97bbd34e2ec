/**
 * The functions in PostgreSQL that add and claim jobs.
 *
 * @module
 */

import { jsonFunction, record, statements } from "./postgres_functions.ts";

const keys = `
  CREATE FUNCTION @.lock_of(kind text, queue text, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(json_build_array('@', kind, queue, key)::text, 0)
  $$;
  CREATE FUNCTION @.hold_keys(ids text[], now double precision) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    ${statements["freeKeysOf"]};
    ${statements["holdKeys"]};
  END $$;`;

// The keys are locked in a fixed order, so that two calls with the same keys do not wait for each other. If no job
// holds a key that another one held, that job was claimed or deleted in the meantime.
const add = `
  PERFORM pg_notify('@', '');
  PERFORM pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT @.lock_of('key', each->>'Queue', each->>'Key') AS lock FROM jsonb_array_elements(input->'Jobs') each
    WHERE each->>'Key' IS NOT NULL ORDER BY 1
  ) locks;
  IF FOUND THEN ${statements["freeKeys"]}; END IF;
  LOOP
    ${statements["add"]};
    SELECT json_agg(j), bool_or(holder <> id), bool_or(holder IS NULL) INTO output, is_held, is_missing
    FROM (${statements["holders"]}) AS j;
    EXIT WHEN is_missing IS NOT TRUE;
  END LOOP;
  IF is_held THEN ${statements["leaveBatch"]}; END IF;`;

/** Returns the statements that find jobs in a state, one after another if groups have limits. */
function findIn(state: string): string {
  const found = `(${statements[`find ${state}`]} FOR UPDATE SKIP LOCKED) AS found`;
  return `
  IF NOT groups_have_limits THEN
    most := greatest(free - cardinality(places), 0);
    places := places || ARRAY(SELECT place FROM ${found});
  END IF;
  WHILE groups_have_limits AND cardinality(places) < free LOOP
    SELECT * INTO job FROM ${found};
    EXIT WHEN NOT FOUND;
    of_group := job.group_name;
    IF of_group IS NOT NULL AND cardinality(array_positions(groups, of_group))
      >= (SELECT least(slots, starts) FROM (${statements["room of group"]}) AS room) THEN
      full_groups := full_groups || of_group;
    ELSE
      places := places || job.place;
      groups := groups || of_group;
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
  IF input->>'Crashed' IS DISTINCT FROM 'only' THEN ${findIn("ready")} END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'exclude' THEN ${findIn("suspect")} END IF;
  IF has_limits THEN ${statements["start"]}; END IF;
  WITH j AS (${statements["claim"]}) SELECT json_agg(${record}) INTO claimed FROM j;
  IF cardinality(places) = wanted THEN
    next := now;
  ELSE
    SELECT least(lease, due) INTO next FROM (${statements["outlook"]}) AS last;
    IF has_limits THEN
      next := least(next, (SELECT free_at FROM (${statements["room"]}) AS room));
      FOREACH of_group IN ARRAY full_groups LOOP
        next := least(next, (SELECT free_at FROM (${statements["room of group"]}) AS room));
      END LOOP;
    END IF;
  END IF;
  most := 1; full_groups := '{}';
  output := json_build_array(coalesce(claimed, '[]'), coalesce(expired, '[]'), next,
    coalesce((SELECT crashes FROM (${statements["find suspect"]}) AS found), 0));`;

const claimVariables = `
  names text[] := ARRAY(
    SELECT name FROM jsonb_array_elements_text(input->'Names') AS name
    WHERE NOT EXISTS (SELECT FROM @.pauses p WHERE p.queue = input->>'Queue' AND p.name IN (name.name, ''))
  );
  wanted bigint := input->>'Count'; free bigint := wanted; most bigint := 1;
  groups_have_limits boolean := input->'GroupLimits' <> '{}';
  has_limits boolean := groups_have_limits OR input->'Limits' <> '{}';
  places tid[] := '{}'; of_group text; groups text[] := '{}'; full_groups text[] := '{}';
  outlook record; job record; ids text[]; claimed json; expired json; next double precision;`;

/** The definitions of the functions. `@` represents the schema. */
export const claimFunctions: string = [
  keys,
  jsonFunction("add", add, "is_held boolean; is_missing boolean;"),
  jsonFunction("claim", claim, claimVariables, "SET enable_sort = off"),
].join("\n");
