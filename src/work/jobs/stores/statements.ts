/**
 * The statements for jobs and schedules that all databases have in common.
 *
 * @module
 */

import { latestTime } from "../../../base/async/callback.ts";
import { columns, longestSkew, mostCounted } from "./job_columns.ts";

/** The columns of jobs and of schedules, in the order of their rows. */
const jobColumns = columns.join(", ");
const scheduleColumns = "queue, name, cron, time_zone, job, data, last";

/** The error of a job whose lease has expired. */
const leaseExpired = "The lease expired: the process has crashed, was suspended or was blocked";

/** The parts of statements that differ between databases. */
export interface Dialect {
  /** Returns the condition for jobs whose IDs are in the argument `IDs`. */
  named(condition: string): string;
  /** Returns the condition for a limited number of jobs that no other process is changing. */
  some(condition: string): string;
  /** Returns a join that finds jobs `j` for each row of a table `k`. */
  each(condition: string): string;
  /** Returns a property of a job to add. */
  added(property: string): string;
  /** Returns one row of values for each job to add. */
  row(values: string): string;
  /** Returns a table `e` whose column `value` contains the items of an argument, which are objects. */
  items(argument: string): string;
  /** Returns a table `e` whose column `value` contains the items of an argument, which are strings. */
  texts(argument: string): string;
  /** The column that identifies a job that was found, and the condition for all of them. */
  readonly place: string;
  readonly isFound: string;
  /** The condition for jobs of groups that have reached their limits. */
  readonly isFull: string;
  /** The condition for jobs whose key no other transaction is changing. */
  readonly lock: string;
  /** The condition for jobs that the process handles and that are not paused. */
  readonly isHandled: string;
  /** Writes a statement for the database. `@` begins the name of a table, and `:` the name of an argument. */
  write(statement: string): string;
}

/** The condition for jobs that wait. A job that is not due yet is `later`, and one that has crashed is `suspect`. */
export const waiting = "state IN ('ready', 'later', 'suspect')";

/** Returns the statements by name. */
export function statementsFor(dialect: Dialect): Readonly<Record<string, string>> {
  const { named, some, each, added, row, items, texts, isFound, isFull, isHandled, lock, write } = dialect;
  // Only a crash of a job that was alone in its process uses up an attempt: another job may have caused the crash.
  const isLast = "is_alone AND attempt >= max_attempts";
  const isRetried = `NOT is_canceled AND NOT (${isLast})`;
  const dueState = "CASE WHEN crashes > 0 THEN 'suspect' ELSE 'ready' END";
  const counts = ["waiting", "running", "failed", "done"].map((state) =>
    `sum(CASE WHEN ${state === "waiting" ? waiting : `state = '${state}'`} THEN count ELSE 0 END) AS ${state}`
  );
  // The pages of all kinds are merged, because no index contains the jobs of several kinds in their order. Running jobs
  // are few, so they are in no index for lists, which every start would have to change.
  const isRetriedList = "coalesce(CAST(:IsRetried AS boolean), false)";
  const newest = "ORDER BY seq DESC LIMIT CAST(:Limit AS bigint)";
  const pages = [
    `state <> 'running' AND NOT ${isRetriedList}`,
    `state = 'running' AND NOT ${isRetriedList}`,
    `attempt > 0 AND ${waiting} AND ${isRetriedList}`,
  ].map((condition) =>
    `SELECT j.id, j.seq FROM (
      SELECT * FROM @kinds WHERE queue = coalesce(:Queue, queue) AND name = coalesce(:Name, name)
        AND (:State IS NULL OR state = :State OR :State = 'waiting' AND ${waiting})
    ) AS k ` + each(`queue = k.queue AND state = k.state AND name = k.name AND ${condition}
      AND seq < coalesce(CAST(:Before AS bigint), ${Number.MAX_SAFE_INTEGER}) ${newest}`)
  );
  const number = (text: string) => `CAST(${text} AS double precision)`;
  const textOf = (property: string) => `e.value->>'${property}'`;
  const numberOf = (property: string) => number(textOf(property));
  const isWaiting = `${textOf("State")} = 'waiting'`;
  const isReleased = "coalesce(CAST(e.value->>'IsReleased' AS boolean), false)";
  // A failed job is stored even if it is not kept, because its batch counts it.
  const isOver = `${textOf("State")} IN ('done', 'canceled') AND ${numberOf("KeepUntil")} <= :Now`;
  const ours = `j.id = ${textOf("ID")} AND j.token = ${numberOf("Token")} AND j.state = 'running'`;
  const claim = "token || ' ' || id AS claim";
  // The planner has to know the state, so that it uses the index of the state.
  const find = (state: string) =>
    `SELECT ${dialect.place} AS place, group_name, crashes FROM @jobs WHERE state = '${state}' AND queue = :Queue
      AND due <= :Now AND ${isHandled} AND NOT ${isFound} AND (group_name IS NULL OR NOT ${isFull})
      ORDER BY priority DESC, due, seq LIMIT CAST(:Count AS bigint)`;
  const freeKeys = (keys: string) =>
    `UPDATE @jobs SET holds_key = false WHERE holds_key AND NOT ${waiting} AND coalesce(key_until <= :Now, true)
      AND (queue, key) IN (${keys})`;
  const keyed = `FROM @jobs WHERE key IS NOT NULL AND ${named(waiting)} AND ${lock}`;
  const startEnd = (limits: string) => `coalesce(:StartsAt, :Now) + CAST(round(:${limits}.Rate.Period) AS bigint)`;
  const startsOf = (group: string, limits: string) =>
    `SELECT queue, ${group}, ${startEnd(limits)} FROM @jobs
      WHERE ${isFound} AND ${group} IS NOT NULL AND :${limits}.Rate.Period IS NOT NULL`;
  const recent = (group: string) => `FROM @starts WHERE queue = :Queue AND group_name = ${group} AND until > :Now`;
  // The numbers of jobs that limits allow to start, and the time at which a rate allows more.
  const room = (limits: string, group: string, isInGroup: string) =>
    `SELECT :${limits}.MaxRunning - (
        SELECT count(*) FROM @jobs WHERE state = 'running' AND queue = :Queue AND lease_until > :Now AND ${isInGroup}
      ) AS slots, :${limits}.Rate.Limit - (SELECT count(*) ${recent(group)}) AS starts, (
        SELECT until ${recent(group)} AND :${limits}.Rate.Limit IS NOT NULL
        ORDER BY until DESC LIMIT 1 OFFSET coalesce(CAST(:${limits}.Rate.Limit AS bigint), 1) - 1
      ) AS free_at`;
  const statements = {
    "find ready": find("ready"),
    "find suspect": find("suspect"),
    claim: `UPDATE @jobs SET state = 'running', attempt = attempt + 1, token = token + 1, lease_until = :LeaseUntil,
      is_alone = coalesce(CAST(:IsAlone AS boolean), false), holds_key = holds_key AND coalesce(key_until > :Now, false)
      WHERE ${isFound} RETURNING ${jobColumns}`,
    // The ends of leases and the due times after which a claim has more to do.
    outlook: `SELECT (SELECT min(lease_until) FROM @jobs WHERE state = 'running' AND queue = :Queue) AS lease,
      (SELECT min(due) FROM @jobs WHERE state = 'later' AND queue = :Queue) AS due`,
    room: room("Limits", "'queue'", "true"),
    "room of group": room("GroupLimits", "'group ' || :Group", "group_name = :Group"),
    start: `INSERT INTO @starts ${startsOf("'queue'", "Limits")} UNION ALL
      ${startsOf("'group ' || group_name", "GroupLimits")}`,
    started: `UPDATE @starts SET until = until + :At - coalesce(:StartsAt, :Now) WHERE queue = :Queue AND (
        group_name = 'queue' AND until = ${startEnd("Limits")} OR until = ${startEnd("GroupLimits")}
        AND group_name IN (SELECT 'group ' || e.value FROM ${texts("Groups")}))`,
    // A job that waits for its batch is due at the end of time.
    add: `INSERT INTO @jobs (id, queue, name, data, priority, max_attempts, key, key_until, holds_key, group_name,
        trace, added, batch, in_batch, pending, due, state) ${
      row(`${["ID", "Queue", "Name", "Data"].map(added)}, ${["Priority", "MaxAttempts"].map(added).map(number)},
        ${added("Key")}, ${number(added("KeyUntil"))}, ${added("Key")} IS NOT NULL, ${added("Group")}, ${
        added("Trace")
      },
        :Now, ${added("Batch")}, ${added("Batch")} IS NOT NULL, coalesce(${number(added("Pending"))}, 0),
        CASE WHEN ${number(added("Pending"))} > 0 THEN ${latestTime} ELSE ${number(added("Due"))} END,
        CASE WHEN ${number(added("Pending"))} > 0 OR ${number(added("Due"))} > :Now THEN 'later' ELSE 'ready' END`)
    } ON CONFLICT DO NOTHING`,
    // A job takes a key from a finished or running one whose period has ended. Waiting jobs hold theirs again unless
    // others hold them.
    freeKeys: freeKeys(row(`${added("Queue")}, ${added("Key")}`)),
    freeKeysOf: freeKeys(`SELECT queue, key ${keyed}`),
    holdKeys: `UPDATE @jobs AS j SET holds_key = true WHERE id IN (SELECT min(id) ${keyed} GROUP BY queue, key)
      AND NOT EXISTS (SELECT 1 FROM @jobs AS other WHERE other.queue = j.queue AND other.key = j.key AND other.holds_key)`,
    holders: `WITH e(id, queue, key) AS (${row(`${added("ID")}, ${added("Queue")}, ${added("Key")}`)})
      SELECT id, coalesce((SELECT id FROM @jobs WHERE id = e.id),
        (SELECT id FROM @jobs WHERE queue = e.queue AND key = e.key AND holds_key)) AS holder FROM e`,
    // The batch does not wait for jobs that were not added.
    leaveBatch: `WITH e(id, batch) AS (${row(`${added("ID")}, ${added("Batch")}`)}), missing AS (
        SELECT batch, count(*) AS n FROM e WHERE NOT EXISTS (SELECT 1 FROM @jobs WHERE id = e.id) GROUP BY batch
      ) UPDATE @jobs AS j SET pending = pending - n, due = CASE WHEN pending <= n THEN :Now ELSE due END
      FROM missing WHERE j.id = missing.batch`,
    promote: `UPDATE @jobs SET state = ${dueState} WHERE ${some("state = 'later' AND queue = :Queue AND due <= :Now")}`,
    expire: `UPDATE @jobs SET error = '${leaseExpired}',
        state = CASE WHEN is_canceled THEN 'canceled' WHEN ${isLast} THEN 'failed' ELSE 'suspect' END,
        finished = CASE WHEN ${isRetried} THEN NULL ELSE :Now END,
        keep_until = CASE WHEN ${isRetried} THEN NULL ELSE :KeepUntil END,
        report_at = CASE WHEN NOT is_canceled AND ${isLast} THEN :ReportAt END,
        attempt = attempt - CASE WHEN ${isRetried} AND NOT is_alone THEN 1 ELSE 0 END,
        crashes = CASE WHEN ${isRetried} THEN crashes + 1 ELSE 0 END,
        lease_until = NULL, is_canceled = false, is_alone = false
      WHERE ${some("state = 'running' AND queue = :Queue AND lease_until <= :Now")} RETURNING ${jobColumns}`,
    renew: `UPDATE @jobs AS j SET lease_until = :Until,
        is_alone = is_alone AND NOT coalesce(CAST(e.value->>'IsShared' AS boolean), false)
      FROM ${items("Claims")} WHERE ${ours}
      RETURNING ${claim}, CASE WHEN is_canceled THEN 'canceled' ELSE 'renewed' END AS renewal`,
    end: `DELETE FROM @jobs WHERE state = 'running' AND coalesce(key_until <= :Now, true)
        AND (id, token) IN (SELECT ${textOf("ID")}, ${numberOf("Token")} FROM ${items("Endings")} WHERE ${isOver})
      RETURNING ${claim}`,
    finish: `UPDATE @jobs AS j SET lease_until = NULL, is_canceled = false, is_alone = false,
        state = CASE WHEN NOT ${isWaiting} THEN ${textOf("State")} WHEN ${numberOf("Due")} > :Now THEN 'later'
          WHEN ${isReleased} AND crashes > 0 THEN 'suspect' ELSE 'ready' END,
        attempt = attempt - CASE WHEN ${isReleased} THEN 1 ELSE 0 END,
        crashes = CASE WHEN ${isReleased} THEN crashes ELSE 0 END,
        due = coalesce(${numberOf("Due")}, due), result = ${textOf("Result")},
        error = CASE WHEN e.value->'Error' IS NULL THEN error ELSE ${textOf("Error")} END,
        keep_until = ${numberOf("KeepUntil")}, report_at = ${numberOf("ReportAt")},
        finished = CASE WHEN ${isWaiting} THEN NULL ELSE :Now END
      FROM ${items("Endings")} WHERE ${ours} RETURNING ${claim}`,
    cancel: `UPDATE @jobs SET is_canceled = state = 'running', finished = CASE WHEN state <> 'running' THEN :Now END,
        keep_until = CASE WHEN state <> 'running' THEN :KeepUntil END,
        state = CASE WHEN state = 'running' THEN state ELSE 'canceled' END
      WHERE ${named(`(${waiting} OR state = 'running' AND NOT is_canceled)`)}`,
    retry: `UPDATE @jobs SET state = CASE WHEN pending > 0 THEN 'later' ELSE ${dueState} END, attempt = 0,
        due = CASE WHEN pending > 0 THEN ${latestTime} ELSE :Now END, finished = NULL, keep_until = NULL,
        report_at = NULL WHERE ${named("state IN ('failed', 'canceled')")}`,
    hurry: `UPDATE @jobs SET due = CASE WHEN due > :Now THEN :Now ELSE due END, state = ${dueState}
      WHERE ${named(`${waiting} AND pending <= 0`)}`,
    remove: `DELETE FROM @jobs WHERE ${named("state <> 'running'")}`,
    report: "UPDATE @jobs SET progress = :Progress WHERE id = :ID AND token = :Token AND state = 'running'",
    get: `SELECT ${jobColumns} FROM @jobs WHERE id = :ID`,
    list: `SELECT ${jobColumns} FROM (${pages.join(" UNION ALL ")} ${newest}) AS pages JOIN @jobs USING (id, seq)
      ORDER BY seq DESC`,
    kinds: `SELECT name, ${counts} FROM @kinds WHERE queue = :Queue GROUP BY name ORDER BY name`,
    // Jobs that are not due yet are counted one by one up to a number, so that a long queue costs no more. To find the
    // oldest job that is due, there are few priorities, but many jobs.
    stats: `SELECT queue, ${counts}, sum(CASE WHEN state IN ('ready', 'suspect') THEN count ELSE 0 END) + (
        SELECT count(*) FROM (
          SELECT 1 FROM @jobs WHERE state = 'later' AND queue = k.queue AND due <= :Now LIMIT ${mostCounted}
        ) AS found
      ) AS due, (
        WITH RECURSIVE priorities(priority) AS (
          SELECT max(priority) FROM @jobs WHERE state = 'ready' AND queue = k.queue
          UNION ALL
          SELECT (SELECT max(priority) FROM @jobs WHERE state = 'ready' AND queue = k.queue AND priority < p.priority)
          FROM priorities AS p WHERE p.priority IS NOT NULL
        ), oldest(due) AS (
          SELECT (SELECT min(due) FROM @jobs WHERE state = 'ready' AND queue = k.queue AND priority = p.priority)
          FROM priorities AS p
          UNION ALL SELECT min(due) FROM @jobs WHERE state = 'suspect' AND queue = k.queue
          UNION ALL SELECT min(due) FROM @jobs WHERE state = 'later' AND queue = k.queue
        ) SELECT min(due) FROM oldest WHERE due <= :Now
      ) AS oldest_due FROM @kinds AS k GROUP BY queue ORDER BY queue`,
    pauses: "SELECT name FROM @pauses WHERE queue = :Queue",
    schedules: `SELECT ${scheduleColumns} FROM @schedules ORDER BY queue, name`,
    unreported: `UPDATE @jobs SET report_at = :Until WHERE ${some("queue = :Queue AND report_at <= :Now")}
      RETURNING ${jobColumns}`,
    reported: `UPDATE @jobs SET report_at = NULL WHERE ${named("true")}`,
    sweep: `DELETE FROM @jobs
      WHERE ${some("keep_until <= :Now AND coalesce(key_until <= :Now, true) AND report_at IS NULL")}`,
    pause: "INSERT INTO @pauses VALUES (:Queue, :Name) ON CONFLICT DO NOTHING",
    resume: "DELETE FROM @pauses WHERE queue = :Queue AND name = :Name",
    // The last tick may be later than the current time, if the clock was set back.
    schedule: `INSERT INTO @schedules AS s (${scheduleColumns})
        VALUES (:Queue, :Name, :Cron, :TimeZone, :Job, :Data, :Now)
      ON CONFLICT (queue, name) DO UPDATE SET
        last = CASE WHEN s.cron = excluded.cron AND s.time_zone = excluded.time_zone OR s.last > excluded.last
          THEN s.last ELSE excluded.last END,
        cron = excluded.cron, time_zone = excluded.time_zone, job = excluded.job, data = excluded.data
      RETURNING ${scheduleColumns}`,
    unschedule: "DELETE FROM @schedules WHERE queue = :Queue AND name = :Name",
    // A tick in the future was reported by a clock that was wrong, and does not prevent earlier ones.
    tick: `UPDATE @schedules SET last = :At WHERE queue = :Queue AND name = :Name
      AND (last < :At OR last > :Now + ${longestSkew})
      AND NOT EXISTS (SELECT 1 FROM @ticks AS t WHERE t.queue = :Queue AND t.name = :Name AND t.at = :At)`,
    ticked: "INSERT INTO @ticks VALUES (:Queue, :Name, :At)",
  };
  return Object.fromEntries(Object.entries(statements).map(([name, sql]) => [name, write(sql)]));
}
