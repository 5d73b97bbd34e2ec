/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { takesJSON, usesIndex } from "./postgres_claim.ts";

/** The definitions of the functions. `@` represents the schema. */
export const changeFunctions: string = `
  CREATE FUNCTION @.renew ${takesJSON} ${usesIndex} AS $$
  DECLARE
    input json := argument::json;
    ids text[] := ARRAY(SELECT claim->>'ID' FROM json_array_elements(input->'Claims') claim);
    renewed json;
  BEGIN
    WITH input AS (
      SELECT * FROM json_to_recordset(input->'Claims') AS i("ID" text, "Token" integer)
    ), locked AS (
      SELECT seq, id, token, state FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
    ), renewed AS (
      UPDATE @.jobs j SET lease_until = (argument::json->>'Until')::double precision
      FROM locked JOIN input ON locked.id = "ID" AND locked.token = "Token" AND locked.state = 'running'
      WHERE j.seq = locked.seq RETURNING j.id, j.is_canceled
    ) SELECT json_object_agg(id, is_canceled) INTO renewed FROM renewed;
    RETURN coalesce(renewed, '{}');
  END $$;

  CREATE FUNCTION @.finish ${takesJSON} ${usesIndex} AS $$
  DECLARE
    input json := argument::json;
    ids text[] := ARRAY(SELECT ending->>'ID' FROM json_array_elements(input->'Endings') ending);
    now double precision := input->>'Now';
    keyed text[];
    is_limited boolean;
    finished json;
  BEGIN
    WITH input AS (
      SELECT * FROM json_to_recordset(input->'Endings') AS i(
        "ID" text, "Token" integer, "State" text, "IsReleased" boolean, "Due" double precision, "Result" text,
        "Error" text, "KeepsError" boolean, "KeepUntil" double precision
      )
    ), locked AS (
      -- In a fixed order, so that two calls with the same jobs do not wait for each other.
      SELECT seq, id, token, state, key_until FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
    ), valid AS (
      SELECT seq, key_until > now AS keeps_key, input.* FROM locked
      JOIN input ON id = "ID" AND token = "Token" AND state = 'running'
    ), deleted AS (
      DELETE FROM @.jobs j USING valid
      WHERE j.seq = valid.seq AND "State" <> 'waiting' AND "KeepUntil" <= now AND keeps_key IS NOT TRUE
      RETURNING j.id, j.is_limited, NULL AS keyed
    ), updated AS (
      UPDATE @.jobs j SET
        state = "State",
        lease_until = NULL,
        is_canceled = false,
        attempt = attempt - CASE WHEN "IsReleased" THEN 1 ELSE 0 END,
        due = coalesce("Due", due),
        result = "Result",
        error = CASE WHEN "KeepsError" THEN error ELSE "Error" END,
        finished = CASE WHEN "State" <> 'waiting' THEN now END,
        keep_until = "KeepUntil"
      FROM valid
      WHERE j.seq = valid.seq AND ("State" = 'waiting' OR "KeepUntil" > now OR "KeepUntil" IS NULL OR keeps_key)
      RETURNING j.id, j.is_limited, CASE WHEN state = 'waiting' AND key IS NOT NULL THEN j.id END
    ), ended AS (
      SELECT * FROM deleted UNION ALL SELECT * FROM updated
    ) SELECT json_agg(b.id), bool_or(b.is_limited), array_agg(b.keyed) FILTER (WHERE b.keyed IS NOT NULL)
      INTO finished, is_limited, keyed FROM ended b;
    IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
    -- Only a limit makes other processes wait for the end of a job.
    IF is_limited THEN PERFORM pg_notify('@', ''); END IF;
    RETURN coalesce(finished, '[]');
  END $$;

  CREATE FUNCTION @.cancel ${takesJSON} AS $$
  DECLARE
    now double precision := argument::json->>'Now';
    canceled integer;
  BEGIN
    WITH locked AS (
      SELECT seq FROM @.jobs WHERE id IN (SELECT json_array_elements_text(argument::json->'IDs'))
        AND (state = 'waiting' OR state = 'running' AND NOT is_canceled) ORDER BY seq FOR UPDATE
    ) UPDATE @.jobs j SET
      is_canceled = state = 'running',
      finished = CASE WHEN state = 'waiting' THEN now END,
      state = CASE WHEN state = 'waiting' THEN 'canceled' ELSE state END
    FROM locked WHERE j.seq = locked.seq;
    GET DIAGNOSTICS canceled = ROW_COUNT;
    PERFORM pg_notify('@', '');
    RETURN to_json(canceled);
  END $$;

  CREATE FUNCTION @.retry ${takesJSON} AS $$
  DECLARE
    now double precision := argument::json->>'Now';
    ids text[];
  BEGIN
    WITH locked AS (
      SELECT seq FROM @.jobs WHERE id IN (SELECT json_array_elements_text(argument::json->'IDs'))
        AND state IN ('failed', 'canceled') ORDER BY seq FOR UPDATE
    ), retried AS (
      UPDATE @.jobs j SET state = 'waiting', attempt = 0, due = now, finished = NULL, keep_until = NULL
      FROM locked WHERE j.seq = locked.seq RETURNING j.id
    ) SELECT coalesce(array_agg(id), '{}') INTO ids FROM retried;
    PERFORM @.hold_keys(ids, now);
    PERFORM pg_notify('@', '');
    RETURN to_json(cardinality(ids));
  END $$;

  CREATE FUNCTION @.tick ${takesJSON} AS $$
  DECLARE
    input json := argument::json;
  BEGIN
    UPDATE @.schedules SET last = (input->>'At')::double precision
    WHERE queue = input->>'Queue' AND name = input->>'Name' AND last < (input->>'At')::double precision;
    IF NOT FOUND THEN RETURN 'false'; END IF;
    PERFORM @.add(json_build_object('Now', input->'Now', 'Jobs', json_build_array(input->'Job'))::text);
    RETURN 'true';
  END $$;

  CREATE FUNCTION @.report ${takesJSON} AS $$
  DECLARE
    input json := argument::json;
  BEGIN
    UPDATE @.jobs SET progress = input->>'Progress'
    WHERE id = input->>'ID' AND token = (input->>'Token')::integer AND state = 'running';
    RETURN to_json(FOUND);
  END $$;

  CREATE FUNCTION @.remove ${takesJSON} AS $$
  DECLARE
    removed integer;
  BEGIN
    DELETE FROM @.jobs WHERE seq IN (
      SELECT seq FROM @.jobs WHERE id IN (SELECT json_array_elements_text(argument::json->'IDs'))
        AND state <> 'running' ORDER BY seq FOR UPDATE
    );
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN to_json(removed);
  END $$;

  CREATE FUNCTION @.get ${takesJSON} AS $$
  BEGIN
    RETURN coalesce((SELECT @.record_of(j) FROM @.jobs j WHERE id = argument::json->>'ID'), 'null');
  END $$;

  CREATE FUNCTION @.list ${takesJSON} AS $$
  DECLARE
    input json := argument::json;
    filter text := 'true';
    field text;
    listed json;
  BEGIN
    FOREACH field IN ARRAY ARRAY['Queue', 'State', 'Name'] LOOP
      IF input->>field IS NOT NULL THEN filter := filter || format(' AND %I = %L', lower(field), input->>field); END IF;
    END LOOP;
    -- The planner has to know the state, so that it finds the few failed jobs by their index.
    EXECUTE format(
      'SELECT json_agg(record) FROM (
        SELECT @.record_of(j) AS record FROM @.jobs j WHERE %s ORDER BY seq DESC LIMIT %L OFFSET %L
      ) page',
      filter, (input->>'Limit')::integer, coalesce((input->>'Offset')::integer, 0)
    ) INTO listed;
    RETURN coalesce(listed, '[]');
  END $$;

  CREATE FUNCTION @.stats ${takesJSON} AS $$
  DECLARE
    now double precision := argument::json->>'Now';
    listed json;
  BEGIN
    SELECT json_agg(row_to_json(counted)) INTO listed FROM (
      SELECT queue AS "Queue",
        count(*) FILTER (WHERE state = 'waiting') AS "Waiting",
        count(*) FILTER (WHERE state = 'waiting' AND due <= now) AS "Due",
        count(*) FILTER (WHERE state = 'running') AS "Running",
        count(*) FILTER (WHERE state = 'failed') AS "Failed",
        count(*) FILTER (WHERE state = 'done') AS "Done",
        min(due) FILTER (WHERE state = 'waiting' AND due <= now) AS "OldestDue"
      FROM @.jobs GROUP BY queue
    ) counted;
    RETURN coalesce(listed, '[]');
  END $$;

  CREATE FUNCTION @.sweep ${takesJSON} AS $$
  DECLARE
    now double precision := argument::json->>'Now';
    swept integer;
  BEGIN
    DELETE FROM @.jobs WHERE seq IN (
      SELECT seq FROM @.jobs WHERE keep_until <= now AND coalesce(key_until <= now, true)
      ORDER BY keep_until LIMIT 1000 FOR UPDATE SKIP LOCKED
    );
    GET DIAGNOSTICS swept = ROW_COUNT;
    DELETE FROM @.starts WHERE until <= now;
    RETURN to_json(swept);
  END $$;

  CREATE FUNCTION @.schedule ${takesJSON} AS $$
  DECLARE
    input json := argument::json;
    stored json;
  BEGIN
    INSERT INTO @.schedules AS s VALUES (
      input->>'Queue', input->>'Name', input->>'Cron', input->>'TimeZone', (input->>'Now')::double precision
    ) ON CONFLICT (queue, name) DO UPDATE SET
      -- The last tick may be later than the current time, if the clock was set back.
      last = CASE WHEN (s.cron, s.time_zone) = (excluded.cron, excluded.time_zone) THEN s.last
        ELSE greatest(s.last, excluded.last) END,
      cron = excluded.cron,
      time_zone = excluded.time_zone
    RETURNING json_build_object('Queue', queue, 'Name', name, 'Cron', cron, 'TimeZone', time_zone, 'Last', last)
      INTO stored;
    RETURN stored;
  END $$;

  CREATE FUNCTION @.list_schedules ${takesJSON} AS $$
  BEGIN
    RETURN (SELECT coalesce(json_agg(json_build_object(
      'Queue', queue, 'Name', name, 'Cron', cron, 'TimeZone', time_zone, 'Last', last
    ) ORDER BY queue, name), '[]') FROM @.schedules);
  END $$;

  CREATE FUNCTION @.unschedule ${takesJSON} AS $$
  BEGIN
    DELETE FROM @.schedules WHERE queue = argument::json->>'Queue' AND name = argument::json->>'Name';
    RETURN to_json(FOUND);
  END $$;
`;
