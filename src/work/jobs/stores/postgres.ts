/**
 * A job store in PostgreSQL, for processes on several machines.
 *
 * The store uses the client that your application has, so fw depends on none. Jobs are claimed with `SKIP LOCKED`, and
 * processes are notified with `LISTEN` and `NOTIFY`. It requires PostgreSQL 12 or later.
 *
 * @example Use the pool of postgres.js
 * ```ts ignore
 * import * as jobs from "@fw/web/jobs";
 * import * as postgres from "@fw/web/jobs/postgres";
 * import connect from "npm:postgres@3";
 *
 * const sql = connect("postgres://localhost/shop");
 * const store = postgres.New(sql, {
 *   Listen: async (channel, wake) => (await sql.listen(channel, wake, wake)).unlisten,
 * });
 * await store.Migrate();
 * const queue = jobs.New(store);
 * ```
 *
 * @example Use the pool of pg
 * ```ts ignore
 * import * as postgres from "@fw/web/jobs/postgres";
 * import pg from "npm:pg@8";
 *
 * const url = "postgres://localhost/shop";
 * const pool = new pg.Pool({ connectionString: url });
 * pool.on("error", (error) => console.error(error)); // without it, a lost connection ends the process
 * const store = postgres.New(pool, {
 *   async Listen(channel, wake, lost) {
 *     const client = new pg.Client(url);
 *     client.on("notification", wake).on("error", lost);
 *     await client.connect();
 *     await client.query(`LISTEN ${channel}`);
 *     return () => client.end();
 *   },
 * });
 * ```
 *
 * @module
 */

import { func, text } from "../../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { checkVersion } from "./job_columns.ts";
import { isLimited } from "./limits.ts";
import {
  codeOf,
  type Connection,
  keepListening,
  type Listen,
  postgresJSON,
  type Run,
  runnerOf,
} from "./postgres_listener.ts";
import { mostCounted } from "./postgres_changes.ts";
import { otherVersion } from "./postgres_functions.ts";
import { migrationOf, tablesVersion } from "./postgres_schema.ts";
import type * as jobs from "../store.ts";
import { countedStates } from "../store.ts";

export type { Connection, Query } from "./postgres_listener.ts";
export type { Listen } from "./postgres_listener.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The schema that contains the tables. Its name is also the notification channel.
   *
   * @default {"fw_jobs"}
   */
  Schema?: string;
  /** Listens for notifications. If omitted, the queue polls for jobs, so they start later. */
  Listen?: Listen;
}

const table = optionTable<Options>("jobs/postgres.Options", "the PostgreSQL job store")({
  Schema: text("fw_jobs"),
  Listen: func(),
});

/**
 * Creates a job store in PostgreSQL. Call `Migrate` before you use it.
 *
 * @param connection The pool of pg or postgres.js, or a function that runs a statement with another client. The store
 * never closes it.
 * @param options The options.
 * @returns The store.
 * @throws {FrameworkError} If the connection or an option is invalid.
 */
export function New(connection: Connection, options: Options = {}): jobs.Store {
  const { Schema, Listen } = readOptions(table, options);
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(Schema)) {
    const rule = "it must consist of lowercase letters, digits and _";
    throw new FrameworkError("FW_CONFIG", `Cannot use the schema "${Schema}": ${rule}`);
  }
  const run = runnerOf(connection);
  if (run === undefined) {
    const remedy =
      'pass the pool of "npm:pg" or "npm:postgres", or a function (text, values) => client.query(text, values)';
    throw new FrameworkError("FW_CONFIG", `Cannot use the connection: ${remedy}`);
  }
  const store = new PostgresStore(run, Schema);
  if (Listen !== undefined) store.Watch = (wake) => keepListening(Listen, Schema, wake);
  return store;
}

/** PostgreSQL's codes for a table or schema that does not exist. */
const missingCodes: ReadonlySet<string | undefined> = new Set(["42P01", "3F000"]);

class PostgresStore implements jobs.Store {
  readonly #run: Run;
  readonly #schema: string;
  #isChecked = false;
  Watch?: (wake: () => void) => Promise<() => Promise<void>>;

  constructor(run: Run, schema: string) {
    this.#run = run;
    this.#schema = schema;
  }

  async Migrate(): Promise<void> {
    await this.#run(migrationOf(this.#schema));
    await this.#check(this.#run);
  }

  async Add(added: readonly jobs.NewJob[], now: number, transaction?: unknown): Promise<readonly jobs.Added[]> {
    const run = transaction === undefined ? this.#run : runnerOf(transaction);
    if (run === undefined) {
      const rule = "it must be a client of pg, a transaction of postgres.js, or a function " +
        "(text, values) => transaction.query(text, values)";
      throw new FrameworkError("FW_JOB", `Cannot add a job in a transaction: ${rule}`);
    }
    if (added.length === 0) return [];
    const HasKeys = added.some(({ Key }) => Key !== null);
    const all = await this.#call<jobs.Added[] | null>("add", { Jobs: added, Now: now, HasKeys }, run);
    return all ?? added.map(({ ID }) => ({ ID, IsNew: true }));
  }

  Claim(request: jobs.ClaimRequest): Promise<jobs.Claimed> {
    const HasGroupLimits = isLimited(request.GroupLimits);
    const IsLimited = HasGroupLimits || isLimited(request.Limits);
    return this.#call("claim", { Crashed: "include", ...request, IsLimited, HasGroupLimits });
  }

  async Started(request: jobs.ClaimRequest, groups: readonly (string | null)[], at: number): Promise<void> {
    const { Queue, Now, StartsAt = Now, Limits, GroupLimits } = request;
    const until = ({ Rate }: jobs.Limits) => Rate === undefined ? null : StartsAt + Rate.Period;
    await this.#call("started", {
      Queue,
      By: at - StartsAt,
      QueueUntil: until(Limits),
      GroupUntil: until(GroupLimits),
      IDs: groups.filter((group) => group !== null).map((group) => `group ${group}`),
    });
  }

  async Renew(claims: readonly jobs.Claim[], until: number): Promise<readonly jobs.Renewal[]> {
    const input = { IDs: idsOf(claims), Claims: claims, Until: until };
    const renewed = await this.#call<Record<string, boolean>>("renew", input);
    return claims.map(({ ID }) => renewed[ID] === undefined ? "lost" : renewed[ID] ? "canceled" : "renewed");
  }

  async Finish(endings: readonly jobs.Ending[], now: number): Promise<readonly boolean[]> {
    const Endings = endings.map((ending) => ({ ...ending, KeepsError: ending.Error === undefined }));
    const finished = new Set(await this.#call<string[]>("finish", { IDs: idsOf(endings), Endings, Now: now }));
    return endings.map(({ ID }) => finished.has(ID));
  }

  Progress({ ID, Token }: jobs.Claim, progress: string): Promise<boolean> {
    return this.#call("report", { ID, Token, Progress: progress });
  }

  Cancel(ids: readonly string[], now: number): Promise<number> {
    return this.#call("cancel", { IDs: ids, Now: now });
  }

  Retry(ids: readonly string[], now: number): Promise<number> {
    return this.#call("retry", { IDs: ids, Now: now });
  }

  Hurry(ids: readonly string[], now: number): Promise<number> {
    return this.#call("hurry", { IDs: ids, Now: now });
  }

  Delete(ids: readonly string[]): Promise<number> {
    return this.#call("remove", { IDs: ids });
  }

  Get(id: string): Promise<jobs.JobRecord | null> {
    return this.#call("get", { ID: id });
  }

  List(filter: jobs.ListFilter): Promise<readonly jobs.JobRecord[]> {
    return this.#call("list", filter);
  }

  async Stats(now: number): Promise<readonly jobs.QueueStats[]> {
    const rows = await this.#call<CountedQueue[]>("stats", { Now: now });
    return rows.map(({ Queue, States, Due, Later, OldestDue }) => {
      const counts = countedStates(States);
      const isExact = Due < mostCounted || Later >= mostCounted;
      return { Queue, ...counts, Due: isExact ? Due : counts.Waiting - Later, OldestDue };
    });
  }

  async Kinds(queue: string): Promise<readonly jobs.KindStats[]> {
    const rows = await this.#call<{ name: string; state: string; count: number }[]>("kinds", { Queue: queue });
    return [...Map.groupBy(rows, ({ name }) => name)]
      .map(([Name, kinds]) => ({ Name, ...countedStates(kinds.map(({ state, count }) => [state, count])) }));
  }

  Pause(queue: string, name: string, isPaused: boolean): Promise<boolean> {
    return this.#call("pause", { Queue: queue, Name: name, IsPaused: isPaused });
  }

  Pauses(queue: string): Promise<readonly string[]> {
    return this.#call("pauses", { Queue: queue });
  }

  Unreported(queue: string, now: number, until: number): Promise<readonly jobs.JobRecord[]> {
    return this.#call("unreported", { Queue: queue, Now: now, Until: until });
  }

  async Reported(ids: readonly string[]): Promise<void> {
    await this.#call("reported", { IDs: ids });
  }

  Sweep(now: number): Promise<number> {
    return this.#call("sweep", { Now: now });
  }

  Schedule(schedule: Omit<jobs.ScheduleRecord, "Last">, now: number): Promise<jobs.ScheduleRecord> {
    return this.#call("schedule", { ...schedule, Now: now });
  }

  Schedules(): Promise<readonly jobs.ScheduleRecord[]> {
    return this.#call("schedules", {});
  }

  Unschedule(queue: string, name: string): Promise<boolean> {
    return this.#call("unschedule", { Queue: queue, Name: name });
  }

  Tick(tick: jobs.Tick, now: number): Promise<boolean> {
    return this.#call("tick", { ...tick, Now: now });
  }

  async Now(transaction?: unknown): Promise<number> {
    const run = transaction === undefined ? this.#run : runnerOf(transaction) ?? this.#run;
    return Number(await run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision::text"));
  }

  Close(): void {}

  /** Calls a function of the database. */
  async #call<T>(name: string, input: object, run: Run = this.#run): Promise<T> {
    if (!this.#isChecked) await this.#check(run);
    const json = postgresJSON({ ...input, Version: tablesVersion });
    try {
      return JSON.parse(String(await run(`SELECT ${this.#schema}.${name}($1::text::json)::text`, json)));
    } catch (error) {
      if (codeOf(error) === otherVersion) {
        this.#checkFound(Number(/version (\d+)/.exec(String(error))?.[1] ?? Infinity));
      }
      throw error;
    }
  }

  /** Throws unless the tables are of this version. */
  async #check(run: Run): Promise<void> {
    const found = await run(`SELECT max(version)::text FROM ${this.#schema}.version`).catch((error: unknown) => {
      if (!missingCodes.has(codeOf(error))) throw error;
      return 0;
    });
    this.#checkFound(Number(found));
    this.#isChecked = true;
  }

  #checkFound(found: number): void {
    checkVersion(`the job tables in the schema "${this.#schema}"`, found, tablesVersion);
  }
}

/** The numbers of a queue. The jobs that are due, and the others that wait, are counted up to a number. */
interface CountedQueue extends Pick<jobs.QueueStats, "Queue" | "Due" | "OldestDue"> {
  readonly States: readonly (readonly [string, number])[];
  readonly Later: number;
}

function idsOf(claims: readonly jobs.Claim[]): string[] {
  return claims.map(({ ID }) => ID);
}
