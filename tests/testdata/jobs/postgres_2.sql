    DO $migration$
    DECLARE
      installed integer := 0;
      old record;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('@ migration', 0));
      IF to_regnamespace('@') IS NULL THEN CREATE SCHEMA @; END IF;
      IF to_regclass('@.version') IS NULL THEN CREATE TABLE @.version (version integer NOT NULL);
      ELSE SELECT max(version) INTO installed FROM @.version; END IF;
      IF installed < 2 THEN
        IF installed < 1 THEN
    CREATE TABLE @.jobs (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, queue text NOT NULL,
      name text NOT NULL, data text NOT NULL, due double precision NOT NULL, priority double precision NOT NULL,
      max_attempts integer NOT NULL, key text, key_until double precision, holds_key boolean NOT NULL, group_name text,
      trace text, state text NOT NULL DEFAULT 'waiting', attempt integer NOT NULL DEFAULT 0,
      token integer NOT NULL DEFAULT 0, lease_until double precision, is_canceled boolean NOT NULL DEFAULT false,
      is_limited boolean NOT NULL DEFAULT false, progress text, result text, error text,
      added double precision NOT NULL, finished double precision, keep_until double precision
    );
    CREATE INDEX jobs_order ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'waiting';
    CREATE INDEX jobs_due ON @.jobs (queue, due) WHERE state = 'waiting';
    CREATE INDEX jobs_lease ON @.jobs (queue, lease_until) WHERE state = 'running';
    CREATE INDEX jobs_failed ON @.jobs (seq) WHERE state = 'failed';
    CREATE INDEX jobs_keep ON @.jobs (keep_until) WHERE keep_until IS NOT NULL;
    CREATE UNIQUE INDEX jobs_key ON @.jobs (queue, key) WHERE holds_key;
    CREATE TABLE @.starts (queue text NOT NULL, group_name text NOT NULL, until double precision NOT NULL);
    CREATE INDEX starts_until ON @.starts (queue, group_name, until);
    CREATE TABLE @.schedules (
      queue text, name text, cron text NOT NULL, time_zone text NOT NULL, last double precision NOT NULL,
      PRIMARY KEY (queue, name)
    ); END IF;
IF installed < 2 THEN
    ALTER TABLE @.jobs
      ADD crashes integer NOT NULL DEFAULT 0, ADD is_alone boolean NOT NULL DEFAULT false, ADD batch text,
      ADD in_batch boolean NOT NULL DEFAULT false, ADD pending integer NOT NULL DEFAULT 0,
      ADD failed_in_batch integer NOT NULL DEFAULT 0, ADD report_at double precision;
    ALTER TABLE @.jobs DROP CONSTRAINT jobs_pkey, DROP CONSTRAINT jobs_id_key,
      ALTER id TYPE text COLLATE "C", ALTER queue TYPE text COLLATE "C", ALTER name TYPE text COLLATE "C",
      ALTER state TYPE text COLLATE "C", ADD PRIMARY KEY (id);
    ALTER TABLE @.schedules ADD job text NOT NULL DEFAULT '', ADD data text NOT NULL DEFAULT 'null';
    DROP INDEX @.jobs_order, @.jobs_failed;
    CREATE INDEX jobs_order ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'waiting' AND crashes = 0;
    CREATE INDEX jobs_crashed ON @.jobs (queue, priority DESC, due, seq) WHERE state = 'waiting' AND crashes > 0;
    CREATE INDEX jobs_list ON @.jobs (queue, state, name, seq) WHERE state <> 'running';
    CREATE INDEX jobs_retried ON @.jobs (queue, seq) WHERE state = 'waiting' AND attempt > 0;
    CREATE INDEX jobs_report ON @.jobs (queue, report_at) WHERE report_at IS NOT NULL;
    CREATE TABLE @.counts (
      queue text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
      count bigint NOT NULL
    );
    INSERT INTO @.counts SELECT queue, name, state, count(*) FROM @.jobs GROUP BY 1, 2, 3;
    CREATE TABLE @.ticks (queue text, name text, at double precision, PRIMARY KEY (queue, name, at));
    CREATE TABLE @.pauses (queue text, name text, PRIMARY KEY (queue, name)); END IF;
  FOR old IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = '@'::regnamespace LOOP
    EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', old.name);
  END LOOP;
  CREATE FUNCTION @.lock_of(kind text, queue text, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(json_build_array('@', kind, queue, key)::text, 0)
  $$;
  CREATE FUNCTION @.free_key(of_queue text, of_key text, now double precision) RETURNS void LANGUAGE sql AS $$
    UPDATE @.jobs SET holds_key = false
    WHERE queue = of_queue AND key = of_key AND holds_key AND state <> 'waiting' AND coalesce(key_until <= now, true)
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
  END $$;
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
  END $$;
    CREATE FUNCTION @.add(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      job record; holder text; added json[] := '{}';
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
  PERFORM pg_notify('@', '');
  IF NOT EXISTS (SELECT FROM jsonb_array_elements(input->'Jobs') each WHERE each->>'Key' IS NOT NULL) THEN
    WITH j AS (
  INSERT INTO @.jobs (id, queue, name, data, due, priority, max_attempts, key, key_until, holds_key, group_name, trace,
    added, batch, in_batch, pending)
  SELECT j."ID", j."Queue", j."Name", j."Data", CASE WHEN j."Pending" > 0 THEN 8640000000000000 ELSE j."Due" END,
    j."Priority", j."MaxAttempts", j."Key", j."KeyUntil", j."Key" IS NOT NULL, j."Group", j."Trace", now, j."Batch",
    j."Batch" IS NOT NULL, coalesce(j."Pending", 0) FROM jsonb_to_recordset(input->'Jobs') AS j("ID" text, "Queue" text, "Name" text, "Data" text,
    "Due" double precision, "Priority" double precision, "MaxAttempts" integer, "Key" text, "KeyUntil" double precision,
    "Group" text, "Trace" text, "Batch" text, "Pending" integer) RETURNING id)
    SELECT json_agg(json_build_object('ID', id, 'IsNew', true)) INTO output FROM j;
    RETURN coalesce(output, '[]');
  END IF;
  PERFORM pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT @.lock_of('key', "Queue", "Key") AS lock FROM jsonb_to_recordset(input->'Jobs') AS j("ID" text, "Queue" text, "Name" text, "Data" text,
    "Due" double precision, "Priority" double precision, "MaxAttempts" integer, "Key" text, "KeyUntil" double precision,
    "Group" text, "Trace" text, "Batch" text, "Pending" integer) WHERE "Key" IS NOT NULL ORDER BY 1
  ) locks;
  FOR job IN SELECT * FROM jsonb_to_recordset(input->'Jobs') AS j("ID" text, "Queue" text, "Name" text, "Data" text,
    "Due" double precision, "Priority" double precision, "MaxAttempts" integer, "Key" text, "KeyUntil" double precision,
    "Group" text, "Trace" text, "Batch" text, "Pending" integer) LOOP
    LOOP
      IF job."Key" IS NOT NULL THEN PERFORM @.free_key(job."Queue", job."Key", now); END IF;
  INSERT INTO @.jobs (id, queue, name, data, due, priority, max_attempts, key, key_until, holds_key, group_name, trace,
    added, batch, in_batch, pending)
  SELECT job."ID", job."Queue", job."Name", job."Data", CASE WHEN job."Pending" > 0 THEN 8640000000000000 ELSE job."Due" END,
    job."Priority", job."MaxAttempts", job."Key", job."KeyUntil", job."Key" IS NOT NULL, job."Group", job."Trace", now, job."Batch",
    job."Batch" IS NOT NULL, coalesce(job."Pending", 0) ON CONFLICT (queue, key) WHERE holds_key DO NOTHING;
      holder := job."ID";
      EXIT WHEN FOUND;
      SELECT id INTO holder FROM @.jobs WHERE queue = job."Queue" AND key = job."Key" AND holds_key;
      EXIT WHEN FOUND;
    END LOOP;
    IF holder <> job."ID" AND job."Batch" IS NOT NULL THEN PERFORM @.end_in_batch(job."Batch", 0, now); END IF;
    added := added || json_build_object('ID', holder, 'IsNew', holder = job."ID");
  END LOOP;
  output := array_to_json(added);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.claim(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET enable_sort = off AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
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
  next double precision;
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
  IF EXISTS (SELECT FROM @.jobs WHERE queue = of_queue AND state = 'running' AND lease_until <= now) THEN
  WITH j AS (UPDATE @.jobs SET error = 'The lease expired: the process has crashed, was suspended or was blocked',
        state = CASE WHEN is_canceled THEN 'canceled' WHEN is_alone AND attempt >= max_attempts THEN 'failed' ELSE 'waiting' END,
        finished = CASE WHEN NOT is_canceled AND NOT (is_alone AND attempt >= max_attempts) THEN NULL ELSE (input->>'Now')::double precision END,
        report_at = CASE WHEN NOT is_canceled AND is_alone AND attempt >= max_attempts THEN (input->>'ReportAt')::double precision END,
        attempt = attempt - CASE WHEN NOT is_canceled AND NOT (is_alone AND attempt >= max_attempts) AND NOT is_alone THEN 1 ELSE 0 END,
        crashes = CASE WHEN NOT is_canceled AND NOT (is_alone AND attempt >= max_attempts) THEN crashes + 1 ELSE 0 END,
        lease_until = NULL, is_canceled = false, is_alone = false
      WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE state = 'running' AND queue = (input->>'Queue') AND lease_until <= (input->>'Now')::double precision LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING id, queue, name, data, key, group_name, trace, batch, progress, result, error, state, is_canceled, due, priority, max_attempts, key_until, pending, attempt, token, lease_until, added, finished, seq, crashes, failed_in_batch)
  SELECT array_agg(id) FILTER (WHERE key IS NOT NULL), json_agg(ARRAY[j.id::text, j.queue::text, j.name::text, j.data::text, j.key::text, j.group_name::text, j.trace::text, j.batch::text, j.progress::text, j.result::text, j.error::text, j.state::text, j.is_canceled::text, j.due::text, j.priority::text, j.max_attempts::text, j.key_until::text, j.pending::text, j.attempt::text, j.token::text, j.lease_until::text, j.added::text, j.finished::text, j.seq::text, j.crashes::text, j.failed_in_batch::text]) FILTER (WHERE state = 'failed')
  INTO keyed, expired FROM j;
  IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
  END IF;
  SELECT wanted AS free INTO room;
  IF has_limits THEN
    PERFORM pg_advisory_xact_lock(@.lock_of('claim', of_queue, NULL));
    SELECT * INTO room FROM @.room(input->'Limits', of_queue, NULL, now, wanted);
  END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'only' THEN
  IF NOT groups_have_limits THEN
    places := places || ARRAY(
      SELECT ctid FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND crashes = 0 AND due <= now AND name = ANY (names) ORDER BY priority DESC, due, seq
      LIMIT greatest(room.free - cardinality(places), 0) FOR UPDATE SKIP LOCKED
    );
  ELSE
    WHILE cardinality(places) < room.free LOOP
      SELECT ctid, group_name INTO job FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND crashes = 0 AND due <= now AND name = ANY (names) AND ctid <> ALL (places)
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
  END IF; END IF;
  IF input->>'Crashed' IS DISTINCT FROM 'exclude' THEN
  IF NOT groups_have_limits THEN
    places := places || ARRAY(
      SELECT ctid FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND crashes > 0 AND due <= now AND name = ANY (names) ORDER BY priority DESC, due, seq
      LIMIT greatest(room.free - cardinality(places), 0) FOR UPDATE SKIP LOCKED
    );
  ELSE
    WHILE cardinality(places) < room.free LOOP
      SELECT ctid, group_name INTO job FROM @.jobs WHERE queue = of_queue AND state = 'waiting' AND crashes > 0 AND due <= now AND name = ANY (names) AND ctid <> ALL (places)
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
  END IF; END IF;
  IF has_limits THEN
    INSERT INTO @.starts SELECT queue, 'queue', (coalesce((input->>'StartsAt')::double precision, now)
    + (input->'Limits'->'Rate'->>'Period')::double precision) FROM @.jobs
    WHERE ctid = ANY (places) AND 'queue' IS NOT NULL AND input->'Limits'->'Rate'->'Period' IS NOT NULL;
    INSERT INTO @.starts SELECT queue, 'group ' || group_name, (coalesce((input->>'StartsAt')::double precision, now)
    + (input->'GroupLimits'->'Rate'->>'Period')::double precision) FROM @.jobs
    WHERE ctid = ANY (places) AND 'group ' || group_name IS NOT NULL AND input->'GroupLimits'->'Rate'->'Period' IS NOT NULL;
  END IF;
  WITH j AS (
    UPDATE @.jobs SET state = 'running', attempt = attempt + 1, token = token + 1,
      lease_until = (input->>'LeaseUntil')::double precision, holds_key = holds_key AND key_until IS NOT NULL,
      is_limited = has_limits, is_alone = coalesce((input->>'IsAlone')::boolean, false)
    WHERE ctid = ANY (places) RETURNING id, queue, name, data, key, group_name, trace, batch, progress, result, error, state, is_canceled, due, priority, max_attempts, key_until, pending, attempt, token, lease_until, added, finished, seq, crashes, failed_in_batch
  ) SELECT json_agg(ARRAY[j.id::text, j.queue::text, j.name::text, j.data::text, j.key::text, j.group_name::text, j.trace::text, j.batch::text, j.progress::text, j.result::text, j.error::text, j.state::text, j.is_canceled::text, j.due::text, j.priority::text, j.max_attempts::text, j.key_until::text, j.pending::text, j.attempt::text, j.token::text, j.lease_until::text, j.added::text, j.finished::text, j.seq::text, j.crashes::text, j.failed_in_batch::text]) INTO claimed FROM j;
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
  output := json_build_array(coalesce(claimed, '[]'), coalesce(expired, '[]'), next, coalesce(crashed, 0));
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.renew(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'Claims') each
  ); places tid[];
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
  places := ARRAY(SELECT ctid FROM @.jobs WHERE id = ANY (ids) AND state = 'running' ORDER BY seq FOR UPDATE);
  WITH renewed AS (
    UPDATE @.jobs j SET lease_until = (input->>'Until')::double precision,
      is_alone = is_alone AND (claim->>'IsShared')::boolean IS NOT TRUE
    FROM jsonb_array_elements(input->'Claims') claim
    WHERE j.ctid = ANY (places) AND j.id = claim->>'ID' AND token = (claim->>'Token')::integer RETURNING id, CASE WHEN is_canceled THEN 'canceled' ELSE 'renewed' END AS renewal
  ) SELECT json_agg(coalesce(renewal, 'lost') ORDER BY n) INTO output
    FROM unnest(ids) WITH ORDINALITY AS claim(id, n) LEFT JOIN renewed USING (id);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.finish(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'Endings') each
  ); places tid[]; deleted text[] := '{}'; keyed text[]; had_limits boolean;
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
  places := ARRAY(SELECT ctid FROM @.jobs WHERE id = ANY (ids) AND state = 'running' ORDER BY seq FOR UPDATE);
  IF EXISTS (SELECT FROM jsonb_array_elements(input->'Endings') claim WHERE (claim->>'KeepUntil')::double precision <= now AND claim->>'ReportAt' IS NULL) THEN
    WITH ended AS (
      DELETE FROM @.jobs j USING jsonb_array_elements(input->'Endings') claim
    WHERE j.ctid = ANY (places) AND j.id = claim->>'ID' AND token = (claim->>'Token')::integer AND (claim->>'KeepUntil')::double precision <= now AND claim->>'ReportAt' IS NULL AND claim->>'State' <> 'waiting'
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
      FROM jsonb_array_elements(input->'Endings') claim
    WHERE j.ctid = ANY (places) AND j.id = claim->>'ID' AND token = (claim->>'Token')::integer RETURNING id, is_limited, state = 'waiting' AND key IS NOT NULL AS is_keyed
    ) SELECT deleted || array_agg(id), had_limits OR bool_or(is_limited), array_agg(id) FILTER (WHERE is_keyed)
      INTO deleted, had_limits, keyed FROM ended;
    IF keyed IS NOT NULL THEN PERFORM @.hold_keys(keyed, now); END IF;
  END IF;
  IF had_limits THEN PERFORM pg_notify('@', ''); END IF;
  output := to_json(ARRAY(SELECT id = ANY (deleted) FROM unnest(ids) id));
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.finish_and_claim(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      output := json_build_array(@.finish(input), @.claim(input));
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.list(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
  before bigint := coalesce((input->>'Before')::bigint, 9007199254740991);
  most integer := input->>'Limit';
  is_retried boolean := coalesce((input->>'IsRetried')::boolean, false);
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
  SELECT json_agg(ARRAY[j.id::text, j.queue::text, j.name::text, j.data::text, j.key::text, j.group_name::text, j.trace::text, j.batch::text, j.progress::text, j.result::text, j.error::text, j.state::text, j.is_canceled::text, j.due::text, j.priority::text, j.max_attempts::text, j.key_until::text, j.pending::text, j.attempt::text, j.token::text, j.lease_until::text, j.added::text, j.finished::text, j.seq::text, j.crashes::text, j.failed_in_batch::text] ORDER BY j.seq DESC) INTO output FROM (
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
  ) places JOIN @.jobs j ON j.ctid = places.ctid;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.get(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      WITH j AS (SELECT id, queue, name, data, key, group_name, trace, batch, progress, result, error, state, is_canceled, due, priority, max_attempts, key_until, pending, attempt, token, lease_until, added, finished, seq, crashes, failed_in_batch FROM @.jobs WHERE id = (input->>'ID')) SELECT json_agg(ARRAY[j.id::text, j.queue::text, j.name::text, j.data::text, j.key::text, j.group_name::text, j.trace::text, j.batch::text, j.progress::text, j.result::text, j.error::text, j.state::text, j.is_canceled::text, j.due::text, j.priority::text, j.max_attempts::text, j.key_until::text, j.pending::text, j.attempt::text, j.token::text, j.lease_until::text, j.added::text, j.finished::text, j.seq::text, j.crashes::text, j.failed_in_batch::text]) INTO output FROM j;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.unreported(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      WITH j AS (UPDATE @.jobs SET report_at = (input->>'Until')::double precision WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE queue = (input->>'Queue') AND report_at <= (input->>'Now')::double precision LIMIT 1000 FOR UPDATE SKIP LOCKED))
      RETURNING id, queue, name, data, key, group_name, trace, batch, progress, result, error, state, is_canceled, due, priority, max_attempts, key_until, pending, attempt, token, lease_until, added, finished, seq, crashes, failed_in_batch) SELECT json_agg(ARRAY[j.id::text, j.queue::text, j.name::text, j.data::text, j.key::text, j.group_name::text, j.trace::text, j.batch::text, j.progress::text, j.result::text, j.error::text, j.state::text, j.is_canceled::text, j.due::text, j.priority::text, j.max_attempts::text, j.key_until::text, j.pending::text, j.attempt::text, j.token::text, j.lease_until::text, j.added::text, j.finished::text, j.seq::text, j.crashes::text, j.failed_in_batch::text]) INTO output FROM j;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.schedule(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      WITH changed AS (INSERT INTO @.schedules AS s (queue, name, cron, time_zone, job, data, last)
        VALUES ((input->>'Queue'), (input->>'Name'), (input->>'Cron'), (input->>'TimeZone'), (input->>'Job'), (input->>'Data'), (input->>'Now')::double precision)
      ON CONFLICT (queue, name) DO UPDATE SET
        last = CASE WHEN s.cron = excluded.cron AND s.time_zone = excluded.time_zone OR s.last > excluded.last
          THEN s.last ELSE excluded.last END,
        cron = excluded.cron, time_zone = excluded.time_zone, job = excluded.job, data = excluded.data
      RETURNING queue, name, cron, time_zone, job, data, last) SELECT json_build_array(queue, name, cron, time_zone, job, data, last) INTO output FROM changed;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.cancel(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      PERFORM pg_notify('@', ''); WITH changed AS (UPDATE @.jobs SET is_canceled = state = 'running', finished = CASE WHEN state <> 'running' THEN (input->>'Now')::double precision END,
        state = CASE WHEN state = 'running' THEN state ELSE 'canceled' END
      WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE id = ANY (ids) AND (state NOT IN ('running', 'done', 'failed', 'canceled') OR state = 'running' AND NOT is_canceled) ORDER BY seq FOR UPDATE)) RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.hurry(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      PERFORM pg_notify('@', ''); WITH changed AS (UPDATE @.jobs SET due = CASE WHEN due > (input->>'Now')::double precision THEN (input->>'Now')::double precision ELSE due END,
        state = CASE WHEN crashes > 0 THEN 'waiting' ELSE 'waiting' END WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE id = ANY (ids) AND state NOT IN ('running', 'done', 'failed', 'canceled') ORDER BY seq FOR UPDATE)) RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.remove(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      PERFORM pg_notify('@', ''); WITH changed AS (DELETE FROM @.jobs WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE id = ANY (ids) AND state <> 'running' ORDER BY seq FOR UPDATE)) RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.retry(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      PERFORM pg_notify('@', ''); WITH changed AS (UPDATE @.jobs SET  state = 'waiting', attempt = 0, due = (input->>'Now')::double precision, finished = NULL,
        keep_until = NULL, report_at = NULL WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE id = ANY (ids) AND state IN ('failed', 'canceled') ORDER BY seq FOR UPDATE)) RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed; PERFORM @.hold_keys(ids, now);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.report(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      UPDATE @.jobs SET progress = (input->>'Progress') WHERE id = (input->>'ID') AND token = (input->>'Token')::double precision AND state = 'running'; output := to_json(FOUND);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.reported(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      UPDATE @.jobs SET report_at = NULL WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE id = ANY (ids) AND true ORDER BY seq FOR UPDATE)); output := to_json(FOUND);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.unschedule(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      DELETE FROM @.schedules WHERE queue = (input->>'Queue') AND name = (input->>'Name'); output := to_json(FOUND);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.started(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
    UPDATE @.starts SET until = until + (input->>'At')::double precision
      - coalesce((input->>'StartsAt')::double precision, now)
    WHERE queue = of_queue AND (
      group_name = 'queue' AND until = (coalesce((input->>'StartsAt')::double precision, now)
    + (input->'Limits'->'Rate'->>'Period')::double precision) OR until = (coalesce((input->>'StartsAt')::double precision, now)
    + (input->'GroupLimits'->'Rate'->>'Period')::double precision)
      AND group_name IN (SELECT 'group ' || jsonb_array_elements_text(input->'Groups'))
    );
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.sweep(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
    DELETE FROM @.starts WHERE until <= now;
    DELETE FROM @.ticks WHERE at <= now - 86400000;
    PERFORM @.fold_counts();
    WITH changed AS (DELETE FROM @.jobs
      WHERE id = ANY (ARRAY(SELECT id FROM @.jobs WHERE keep_until <= (input->>'Now')::double precision AND coalesce(key_until <= (input->>'Now')::double precision, true) AND report_at IS NULL LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING 1) SELECT to_json(count(*)) INTO output FROM changed;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.stats(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
    IF (SELECT count(*) FROM (SELECT FROM @.counts LIMIT 10000) folded) = 10000 THEN
      PERFORM @.fold_counts();
    END IF;
    SELECT json_agg(counted ORDER BY counted."Queue") INTO output FROM (
      SELECT k.queue AS "Queue", json_agg(json_build_array(k.state, k.count)) AS "States",
        (SELECT count(*) FROM (
        SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now LIMIT 10000
      ) counted) AS "Due", (SELECT count(*) FROM (
        SELECT FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due > now LIMIT 10000
      ) counted) AS "Later",
        (SELECT min(j.due) FROM @.jobs j WHERE j.queue = k.queue AND j.state = 'waiting' AND j.due <= now) AS "OldestDue"
      FROM @.kinds k GROUP BY k.queue
    ) counted;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.kinds(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      SELECT json_agg(json_build_array(name, state, count) ORDER BY name) INTO output FROM @.kinds WHERE queue = of_queue;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.pause(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
    PERFORM pg_notify('@', '');
    IF (input->>'IsPaused')::boolean THEN INSERT INTO @.pauses VALUES ((input->>'Queue'), (input->>'Name')) ON CONFLICT DO NOTHING; ELSE DELETE FROM @.pauses WHERE queue = (input->>'Queue') AND name = (input->>'Name'); END IF;
    output := to_json(FOUND);
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.pauses(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      SELECT json_agg(name ORDER BY name COLLATE "C") INTO output FROM @.pauses WHERE queue = of_queue;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.schedules(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
      SELECT json_agg(json_build_array(queue, name, cron, time_zone, job, data, last) ORDER BY queue, name) INTO output FROM @.schedules;
      RETURN coalesce(output, '[]');
    END $$;
    CREATE FUNCTION @.tick(input jsonb) RETURNS json LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off  AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer;
      ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'IDs') each
  );
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = 'FW001';
      END IF;
    UPDATE @.schedules SET last = (input->>'At')::double precision WHERE queue = (input->>'Queue') AND name = (input->>'Name')
      AND (last < (input->>'At')::double precision OR last > (input->>'Now')::double precision + 5000)
      AND NOT EXISTS (SELECT 1 FROM @.ticks AS t WHERE t.queue = (input->>'Queue') AND t.name = (input->>'Name') AND t.at = (input->>'At')::double precision);
    output := to_json(FOUND);
    IF FOUND THEN
      INSERT INTO @.ticks VALUES ((input->>'Queue'), (input->>'Name'), (input->>'At')::double precision);
      PERFORM @.add(input || jsonb_build_object('Jobs', jsonb_build_array(input->'Job')));
    END IF;
      RETURN coalesce(output, '[]');
    END $$;
  CREATE FUNCTION @.fold_counts() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_try_advisory_xact_lock(@.lock_of('counts', NULL, NULL)) THEN
      WITH folded AS (DELETE FROM @.counts RETURNING *)
      INSERT INTO @.counts SELECT queue, name, state, sum(count) FROM folded GROUP BY 1, 2, 3 HAVING sum(count) <> 0;
    END IF;
  END $$;
  CREATE OR REPLACE VIEW @.kinds AS
    SELECT queue, name, state, sum(count)::bigint AS count FROM @.counts GROUP BY 1, 2, 3 HAVING sum(count) > 0;
  CREATE FUNCTION @.count_added() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO @.counts SELECT queue, name, state, sum(n) FROM (SELECT queue, name, state, 1 AS n FROM entering) changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_added AFTER INSERT ON @.jobs REFERENCING NEW TABLE AS entering FOR EACH STATEMENT
    EXECUTE FUNCTION @.count_added();
  CREATE FUNCTION @.count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO @.counts SELECT queue, name, state, sum(n) FROM (SELECT queue, name, state, -1 AS n FROM leaving) changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_deleted AFTER DELETE ON @.jobs REFERENCING OLD TABLE AS leaving FOR EACH STATEMENT
    EXECUTE FUNCTION @.count_deleted();
  CREATE FUNCTION @.count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO @.counts SELECT queue, name, state, sum(n) FROM (SELECT queue, name, state, -1 AS n FROM leaving UNION ALL SELECT queue, name, state, 1 AS n FROM entering) changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_changed AFTER UPDATE ON @.jobs REFERENCING OLD TABLE AS leaving NEW TABLE AS entering FOR EACH STATEMENT
    EXECUTE FUNCTION @.count_changed();
  CREATE FUNCTION @.end_in_batch(of_batch text, failures integer, now double precision) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE @.jobs SET pending = pending - 1, failed_in_batch = failed_in_batch + failures,
      due = CASE WHEN pending <= 1 THEN now ELSE due END WHERE id = of_batch;
    PERFORM pg_notify('@', '');
  END $$;
  CREATE FUNCTION @.ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN PERFORM @.end_in_batch(OLD.batch, 0, OLD.added); RETURN NULL; END IF;
    PERFORM @.end_in_batch(NEW.batch, CASE WHEN NEW.state = 'failed' THEN 1 ELSE 0 END, NEW.finished);
    NEW.in_batch := false;
    RETURN NEW;
  END $$;
  CREATE TRIGGER ended BEFORE UPDATE ON @.jobs FOR EACH ROW
    WHEN (OLD.in_batch AND NEW.state IN ('done', 'failed', 'canceled')) EXECUTE FUNCTION @.ended();
  CREATE TRIGGER dropped AFTER DELETE ON @.jobs FOR EACH ROW WHEN (OLD.in_batch) EXECUTE FUNCTION @.ended();
        DELETE FROM @.version;
        INSERT INTO @.version VALUES (2);
      END IF;
    END $migration$
