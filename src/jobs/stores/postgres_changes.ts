/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { jsonFunction, takesIDs, usesIndex } from "./postgres_functions.ts";

const renew = `
  WITH claims AS (
    SELECT * FROM json_to_recordset(input->'Claims') AS claim("ID" text, "Token" integer)
  ), locked AS (
    SELECT seq, id, token, state FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
  ), renewed AS (
    UPDATE @.jobs j SET lease_until = (input->>'Until')::double precision
    FROM locked JOIN claims ON locked.id = "ID" AND locked.token = "Token" AND locked.state = 'running'
    WHERE j.seq = locked.seq RETURNING j.id, j.is_canceled
  ) SELECT coalesce(json_object_agg(id, is_canceled), '{}') INTO output FROM renewed;`;

// The jobs are locked in a fixed order, so that two calls with the same jobs do not wait for each other. Only a limit
// makes other processes wait for the end of a job, so only then are they notified.
const finish = `
  WITH endings AS (
    SELECT * FROM json_to_recordset(input->'Endings') AS ending(
      "ID" text, "Token" integer, "State" text, "IsReleased" boolean, "Due" double precision, "Result" text,
      "Error" text, "KeepsError" boolean, "KeepUntil" double precision
    )
  ), locked AS (
    SELECT seq, id, token, state, key_until FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
  ), valid AS (
    SELECT seq, key_until > now AS keeps_key, endings.* FROM locked
    JOIN endings ON id = "ID" AND token = "Token" AND state = 'running'
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
  ) SELECT coalesce(json_agg(b.id), '[]'), bool_or(b.is_limited), array_agg(b.keyed) FILTER (WHERE b.keyed IS NOT NULL)
    INTO output, is_limited, keyed FROM ended b;
  IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
  IF is_limited THEN PERFORM pg_notify('@', ''); END IF;`;

// The planner has to know the state, so that it finds the few failed jobs by their index.
const list = `
  FOREACH field IN ARRAY ARRAY['Queue', 'State', 'Name'] LOOP
    IF input->>field IS NOT NULL THEN filter := filter || format(' AND %I = %L', lower(field), input->>field); END IF;
  END LOOP;
  EXECUTE format(
    'SELECT coalesce(json_agg(record), ''[]'') FROM (
      SELECT @.record_of(j) AS record FROM @.jobs j WHERE %s ORDER BY seq DESC LIMIT %L OFFSET %L
    ) page',
    filter, (input->>'Limit')::integer, coalesce((input->>'Offset')::integer, 0)
  ) INTO output;`;

/** The functions that change or list something by its ID or name. */
const functions: Readonly<Record<string, string>> = {
  cancel: `
    PERFORM pg_notify('@', '');
    WITH locked AS (
      SELECT seq FROM @.jobs WHERE id = ANY (ids) AND (state = 'waiting' OR state = 'running' AND NOT is_canceled)
      ORDER BY seq FOR UPDATE
    ), canceled AS (
      UPDATE @.jobs j SET
        is_canceled = state = 'running',
        finished = CASE WHEN state = 'waiting' THEN now END,
        state = CASE WHEN state = 'waiting' THEN 'canceled' ELSE state END
      FROM locked WHERE j.seq = locked.seq RETURNING 1
    ) SELECT to_json(count(*)) INTO output FROM canceled;`,
  retry: `
    PERFORM pg_notify('@', '');
    WITH locked AS (
      SELECT seq FROM @.jobs WHERE id = ANY (ids) AND state IN ('failed', 'canceled') ORDER BY seq FOR UPDATE
    ), retried AS (
      UPDATE @.jobs j SET state = 'waiting', attempt = 0, due = now, finished = NULL, keep_until = NULL
      FROM locked WHERE j.seq = locked.seq RETURNING j.id
    ) SELECT coalesce(array_agg(id), '{}') INTO ids FROM retried;
    PERFORM @.hold_keys(ids, now);
    output := to_json(cardinality(ids));`,
  remove: `
    WITH removed AS (
      DELETE FROM @.jobs WHERE seq IN (
        SELECT seq FROM @.jobs WHERE id = ANY (ids) AND state <> 'running' ORDER BY seq FOR UPDATE
      ) RETURNING 1
    ) SELECT to_json(count(*)) INTO output FROM removed;`,
  report: `
    UPDATE @.jobs SET progress = input->>'Progress'
    WHERE id = input->>'ID' AND token = (input->>'Token')::integer AND state = 'running';
    output := to_json(FOUND);`,
  get: `
    output := coalesce((SELECT @.record_of(j) FROM @.jobs j WHERE id = input->>'ID'), 'null');`,
  stats: `
    SELECT coalesce(json_agg(counted), '[]') INTO output FROM (
      SELECT queue AS "Queue",
        count(*) FILTER (WHERE state = 'waiting') AS "Waiting",
        count(*) FILTER (WHERE state = 'waiting' AND due <= now) AS "Due",
        count(*) FILTER (WHERE state = 'running') AS "Running",
        count(*) FILTER (WHERE state = 'failed') AS "Failed",
        count(*) FILTER (WHERE state = 'done') AS "Done",
        min(due) FILTER (WHERE state = 'waiting' AND due <= now) AS "OldestDue"
      FROM @.jobs GROUP BY queue ORDER BY queue COLLATE "C"
    ) counted;`,
  sweep: `
    DELETE FROM @.starts WHERE until <= now;
    WITH swept AS (
      DELETE FROM @.jobs WHERE seq IN (
        SELECT seq FROM @.jobs WHERE keep_until <= now AND coalesce(key_until <= now, true)
        ORDER BY keep_until LIMIT 1000 FOR UPDATE SKIP LOCKED
      ) RETURNING 1
    ) SELECT to_json(count(*)) INTO output FROM swept;`,
  // The last tick may be later than the current time, if the clock was set back.
  schedule: `
    INSERT INTO @.schedules AS s VALUES (input->>'Queue', input->>'Name', input->>'Cron', input->>'TimeZone', now)
    ON CONFLICT (queue, name) DO UPDATE SET
      last = CASE WHEN (s.cron, s.time_zone) = (excluded.cron, excluded.time_zone) THEN s.last
        ELSE greatest(s.last, excluded.last) END,
      cron = excluded.cron,
      time_zone = excluded.time_zone
    RETURNING @.schedule_of(s) INTO output;`,
  schedules: `
    SELECT coalesce(json_agg(@.schedule_of(s) ORDER BY queue, name), '[]') INTO output FROM @.schedules s;`,
  unschedule: `
    DELETE FROM @.schedules WHERE queue = input->>'Queue' AND name = input->>'Name';
    output := to_json(FOUND);`,
  tick: `
    UPDATE @.schedules SET last = (input->>'At')::double precision
    WHERE queue = input->>'Queue' AND name = input->>'Name' AND last < (input->>'At')::double precision;
    output := to_json(FOUND);
    IF FOUND THEN PERFORM @.add(json_build_object('Now', now, 'Jobs', json_build_array(input->'Job'))); END IF;`,
};

/** The definitions of the functions. `@` represents the schema. */
export const changeFunctions: string = [
  `CREATE FUNCTION @.schedule_of(schedule @.schedules) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object('Queue', schedule.queue, 'Name', schedule.name, 'Cron', schedule.cron,
      'TimeZone', schedule.time_zone, 'Last', schedule.last)
  $$;`,
  jsonFunction("renew", renew, { settings: usesIndex }),
  jsonFunction("finish", finish, { variables: `${takesIDs} keyed text[]; is_limited boolean;`, settings: usesIndex }),
  jsonFunction("list", list, { variables: "filter text := 'true'; field text;" }),
  ...Object.entries(functions).map(([name, body]) => jsonFunction(name, body)),
].join("\n");
