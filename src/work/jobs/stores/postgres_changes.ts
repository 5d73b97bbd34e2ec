/**
 * The functions in PostgreSQL that change and list jobs and schedules.
 *
 * @module
 */

import { longestSkew } from "./job_columns.ts";
import { jsonFunction, takesIDs, usesIndex } from "./postgres_functions.ts";

const renew = `
  WITH claims AS (
    SELECT * FROM json_to_recordset(input->'Claims') AS claim("ID" text, "Token" integer, "IsShared" boolean)
  ), locked AS (
    SELECT seq, id, token, state FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
  ), renewed AS (
    UPDATE @.jobs j SET lease_until = (input->>'Until')::double precision,
      is_alone = is_alone AND "IsShared" IS NOT TRUE
    FROM locked JOIN claims ON locked.id = "ID" AND locked.token = "Token" AND locked.state = 'running'
    WHERE j.seq = locked.seq RETURNING j.id, j.is_canceled
  ) SELECT coalesce(json_object_agg(id, is_canceled), '{}') INTO output FROM renewed;`;

// The jobs are locked in a fixed order, so that two calls with the same jobs do not wait for each other. Only a limit
// makes other processes wait for the end of a job, so only then are they notified.
const finish = `
  WITH endings AS (
    SELECT * FROM json_to_recordset(input->'Endings') AS ending(
      "ID" text, "Token" integer, "State" text, "IsReleased" boolean, "Due" double precision, "Result" text,
      "Error" text, "KeepsError" boolean, "KeepUntil" double precision, "ReportAt" double precision
    )
  ), locked AS (
    SELECT seq, id, token, state, key_until FROM @.jobs WHERE id = ANY (ids) ORDER BY seq FOR UPDATE
  ), valid AS (
    SELECT seq, key_until > now AS keeps_key, endings.* FROM locked
    JOIN endings ON id = "ID" AND token = "Token" AND state = 'running'
  ), deleted AS (
    DELETE FROM @.jobs j USING valid
    WHERE j.seq = valid.seq AND "State" <> 'waiting' AND "KeepUntil" <= now AND keeps_key IS NOT TRUE
      AND "ReportAt" IS NULL
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
      keep_until = "KeepUntil",
      report_at = "ReportAt",
      crashes = CASE WHEN "IsReleased" THEN crashes ELSE 0 END,
      is_alone = false
    FROM valid
    WHERE j.seq = valid.seq
      AND ("State" = 'waiting' OR "KeepUntil" > now OR "KeepUntil" IS NULL OR keeps_key OR "ReportAt" IS NOT NULL)
    RETURNING j.id, j.is_limited, CASE WHEN state = 'waiting' AND key IS NOT NULL THEN j.id END
  ), ended AS (
    SELECT * FROM deleted UNION ALL SELECT * FROM updated
  ) SELECT coalesce(json_agg(b.id), '[]'), bool_or(b.is_limited), array_agg(b.keyed) FILTER (WHERE b.keyed IS NOT NULL)
    INTO output, is_limited, keyed FROM ended b;
  IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
  IF is_limited THEN PERFORM pg_notify('@', ''); END IF;`;

// The pages of all kinds are merged, because no index contains the jobs of several kinds in their order.
const list = `
  SELECT coalesce(json_agg(record), '[]') INTO output FROM (
    SELECT @.record_of(j) AS record FROM (
      SELECT page.seq FROM @.kinds_of(input->>'Queue', input->>'Name', coalesce(input->>'State',
        CASE WHEN is_retried THEN 'waiting' END)) kind CROSS JOIN LATERAL (
        SELECT seq FROM @.jobs WHERE queue = kind.queue AND state = kind.state AND name = kind.name AND seq < before
          AND NOT is_retried ORDER BY seq DESC LIMIT most
      ) page
      UNION ALL
      SELECT page.seq FROM (
        SELECT DISTINCT queue FROM @.kinds_of(input->>'Queue', NULL, 'waiting')
      ) kind CROSS JOIN LATERAL (
        SELECT seq FROM @.jobs WHERE queue = kind.queue AND state = 'waiting' AND attempt > 0 AND seq < before
          AND is_retried AND (input->>'Name' IS NULL OR name = input->>'Name') ORDER BY seq DESC LIMIT most
      ) page
      ORDER BY seq DESC LIMIT most
    ) found JOIN @.jobs j ON j.seq = found.seq ORDER BY j.seq DESC
  ) listed;`;

const listVariables = `
  before bigint := coalesce((input->>'Before')::bigint, ${Number.MAX_SAFE_INTEGER});
  most integer := input->>'Limit';
  is_retried boolean := coalesce((input->>'IsRetried')::boolean, false);`;

/** The maximum number of jobs that are counted one by one. */
export const mostCounted = 10_000;
/** The time for which ticks are remembered, in case the clock is set back, in milliseconds. */
const ticksKeptFor = 86_400_000;

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
      UPDATE @.jobs j SET state = 'waiting', attempt = 0, due = now, finished = NULL, keep_until = NULL,
        report_at = NULL
      FROM locked WHERE j.seq = locked.seq RETURNING j.id
    ) SELECT coalesce(array_agg(id), '{}') INTO ids FROM retried;
    PERFORM @.hold_keys(ids, now);
    output := to_json(cardinality(ids));`,
  hurry: `
    PERFORM pg_notify('@', '');
    WITH hurried AS (
      UPDATE @.jobs SET due = least(due, now) WHERE seq IN (
        SELECT seq FROM @.jobs WHERE id = ANY (ids) AND state = 'waiting' ORDER BY seq FOR UPDATE
      ) RETURNING 1
    ) SELECT to_json(count(*)) INTO output FROM hurried;`,
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
  kinds: `
    SELECT coalesce(json_agg(k ORDER BY k.queue COLLATE "C", k.name COLLATE "C"), '[]') INTO output
    FROM @.kinds_of(input->>'Queue', NULL, NULL) k;`,
  pause: `
    PERFORM pg_notify('@', '');
    IF (input->>'IsPaused')::boolean THEN
      INSERT INTO @.pauses VALUES (input->>'Queue', input->>'Name') ON CONFLICT DO NOTHING;
    ELSE
      DELETE FROM @.pauses WHERE queue = input->>'Queue' AND name = input->>'Name';
    END IF;
    output := to_json(FOUND);`,
  pauses: `
    SELECT coalesce(json_agg(name ORDER BY name COLLATE "C"), '[]') INTO output FROM @.pauses WHERE queue = input->>'Queue';`,
  reported: `
    UPDATE @.jobs SET report_at = NULL WHERE id = ANY (ids);
    output := 'null';`,
  started: `
    UPDATE @.starts SET until = until + (input->>'By')::double precision
    WHERE queue = input->>'Queue' AND (
      group_name = 'queue' AND until = (input->>'QueueUntil')::double precision OR
      group_name = ANY (ids) AND until = (input->>'GroupUntil')::double precision
    );
    output := 'null';`,
  sweep: `
    DELETE FROM @.starts WHERE until <= now;
    DELETE FROM @.ticks WHERE at <= now - ${ticksKeptFor};
    PERFORM @.fold_counts();
    WITH swept AS (
      DELETE FROM @.jobs WHERE seq IN (
        SELECT seq FROM @.jobs WHERE keep_until <= now AND coalesce(key_until <= now, true)
          AND report_at IS NULL ORDER BY keep_until LIMIT 1000 FOR UPDATE SKIP LOCKED
      ) RETURNING 1
    ) SELECT to_json(count(*)) INTO output FROM swept;`,
  // The last tick may be later than the current time, if the clock was set back.
  schedule: `
    INSERT INTO @.schedules AS s VALUES (input->>'Queue', input->>'Name', input->>'Cron', input->>'TimeZone', now,
      input->>'Job', input->>'Data')
    ON CONFLICT (queue, name) DO UPDATE SET
      last = CASE WHEN (s.cron, s.time_zone) = (excluded.cron, excluded.time_zone) THEN s.last
        ELSE greatest(s.last, excluded.last) END,
      cron = excluded.cron,
      time_zone = excluded.time_zone,
      job = excluded.job,
      data = excluded.data
    RETURNING @.schedule_of(s) INTO output;`,
  schedules: `
    SELECT coalesce(json_agg(@.schedule_of(s) ORDER BY queue, name), '[]') INTO output FROM @.schedules s;`,
  unschedule: `
    DELETE FROM @.schedules WHERE queue = input->>'Queue' AND name = input->>'Name';
    output := to_json(FOUND);`,
  // A tick in the future was reported by a clock that was wrong, and does not prevent earlier ones.
  tick: `
    UPDATE @.schedules SET last = (input->>'At')::double precision WHERE queue = input->>'Queue' AND name = input->>'Name'
      AND (last < (input->>'At')::double precision OR last > now + ${longestSkew})
      AND NOT EXISTS (SELECT FROM @.ticks t WHERE (t.queue, t.name, t.at) = (input->>'Queue', input->>'Name', (input->>'At')::double precision));
    output := to_json(FOUND);
    IF FOUND THEN
      INSERT INTO @.ticks VALUES (input->>'Queue', input->>'Name', (input->>'At')::double precision);
      PERFORM @.add(json_build_object('Now', now, 'Jobs', json_build_array(input->'Job'), 'HasKeys', false,
        'Version', input->'Version'));
    END IF;`,
};

const unreported = `
  WITH found AS (
    SELECT seq FROM @.jobs WHERE queue = input->>'Queue' AND report_at <= now
    ORDER BY report_at LIMIT 500 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE @.jobs j SET report_at = (input->>'Until')::double precision
    FROM found WHERE j.seq = found.seq RETURNING @.record_of(j) AS record
  ) SELECT coalesce(json_agg(record), '[]') INTO output FROM taken;`;

// Jobs that are due are counted one by one up to a number, and so are the others, so that a long queue costs no more.
const stats = `
  IF (SELECT count(*) FROM (SELECT FROM @.counts LIMIT ${mostCounted}) folded) = ${mostCounted} THEN
    PERFORM @.fold_counts();
  END IF;
  SELECT coalesce(json_agg(counted ORDER BY counted."Queue" COLLATE "C"), '[]') INTO output FROM (
    SELECT k.queue AS "Queue", json_agg(json_build_array(k.state, k.count)) AS "States",
      (SELECT count(*) FROM (SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now
        LIMIT ${mostCounted}) due) AS "Due",
      (SELECT count(*) FROM (SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due > now
        LIMIT ${mostCounted}) later) AS "Later",
      (SELECT min(j.due) FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now) AS "OldestDue"
    FROM @.kinds_of(NULL, NULL, NULL) k GROUP BY k.queue
  ) counted;`;

/** The definitions of the functions. `@` represents the schema. */
export const changeFunctions: string = [
  `CREATE FUNCTION @.schedule_of(schedule @.schedules) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object('Queue', schedule.queue, 'Name', schedule.name, 'Cron', schedule.cron,
      'TimeZone', schedule.time_zone, 'Last', schedule.last, 'Job', schedule.job, 'Data', schedule.data)
  $$;`,
  jsonFunction("renew", renew, { settings: usesIndex }),
  jsonFunction("finish", finish, { variables: `${takesIDs} keyed text[]; is_limited boolean;`, settings: usesIndex }),
  jsonFunction("list", list, { variables: listVariables, settings: usesIndex }),
  jsonFunction("stats", stats, { settings: usesIndex }),
  jsonFunction("unreported", unreported, { settings: usesIndex }),
  ...Object.entries(functions).map(([name, body]) => jsonFunction(name, body)),
].join("\n");
