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

import { checkOptions, type OptionRules } from "../../config/check_options.ts";
import { FrameworkError } from "../../errors/errors.ts";
import { isLimited } from "./limits.ts";
import { codeOf, type Connection, postgresJSON, type Run, runnerOf } from "./postgres_client.ts";
import { type Listen, Listener } from "./postgres_listener.ts";
import { migrationOf, tablesVersion } from "./postgres_schema.ts";
import type {
  Added,
  Claim,
  Claimed,
  ClaimRequest,
  Ending,
  JobRecord,
  ListFilter,
  NewJob,
  QueueStats,
  Renewal,
  ScheduleRecord,
  Store,
  Tick,
} from "../store.ts";

export type { Connection, Query } from "./postgres_client.ts";
export type { Listen } from "./postgres_listener.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The schema of the tables. Its name is also the channel of the notifications.
   *
   * @default {"fw_jobs"}
   */
  Schema?: string;
  /** Listens for notifications. If omitted, the queue asks for jobs regularly, so they start later. */
  Listen?: Listen;
}

const optionRules: OptionRules<Options> = {
  Schema: "string",
  Listen: "function",
};

/**
 * Creates a job store in PostgreSQL. Call `Migrate` before you use it.
 *
 * @param connection The pool of pg or postgres.js, or a function that runs a statement with another client. The store
 * never closes it.
 * @param options The options.
 * @returns The store.
 * @throws {FrameworkError} If the connection or an option is invalid.
 */
export function New(connection: Connection, options: Options = {}): Store {
  checkOptions("the PostgreSQL job store", options, optionRules);
  const { Schema = "fw_jobs", Listen } = options;
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(Schema)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the schema "${Schema}": it must consist of lowercase letters, digits and _`,
    );
  }
  const run = runnerOf(connection);
  if (run === undefined) {
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot use the connection: pass the pool of "npm:pg" or "npm:postgres", or a function ' +
        "(text, values) => client.query(text, values)",
    );
  }
  return Listen === undefined ? new PostgresStore(run, Schema) : new ListeningStore(run, Schema, Listen);
}

/** A store without notifications. */
class PostgresStore implements Store {
  readonly #run: Run;
  readonly #schema: string;
  #isChecked = false;

  constructor(run: Run, schema: string) {
    this.#run = run;
    this.#schema = schema;
  }

  async Migrate(): Promise<void> {
    await this.#run(migrationOf(this.#schema));
    await this.#check(this.#run);
  }

  async Add(jobs: readonly NewJob[], now: number, transaction?: unknown): Promise<readonly Added[]> {
    const run = transaction === undefined ? this.#run : runnerOf(transaction);
    if (run === undefined) {
      throw new FrameworkError(
        "FW_JOB",
        "Cannot add a job in a transaction: it must be a client of pg, a transaction of postgres.js, or a function " +
          "(text, values) => transaction.query(text, values)",
      );
    }
    return jobs.length === 0 ? [] : await this.#call<Added[]>("add", { Jobs: jobs, Now: now }, run);
  }

  async Claim(request: ClaimRequest): Promise<Claimed> {
    const HasGroupLimits = isLimited(request.GroupLimits);
    const IsLimited = HasGroupLimits || isLimited(request.Limits);
    return await this.#call("claim", { ...request, IsLimited, HasGroupLimits });
  }

  async Renew(claims: readonly Claim[], until: number): Promise<readonly Renewal[]> {
    const Claims = claims.map(({ ID, Token }) => ({ ID, Token }));
    const renewed = await this.#call<Record<string, boolean>>("renew", { Claims, Until: until });
    return claims.map(({ ID }) => renewed[ID] === undefined ? "lost" : renewed[ID] ? "canceled" : "renewed");
  }

  async Finish(endings: readonly Ending[], now: number): Promise<readonly boolean[]> {
    const Endings = endings.map((ending) => ({ ...ending, KeepsError: ending.Error === undefined }));
    const finished = new Set(await this.#call<string[]>("finish", { Endings, Now: now }));
    return endings.map(({ ID }) => finished.has(ID));
  }

  async Progress({ ID, Token }: Claim, progress: string): Promise<boolean> {
    return await this.#call("report", { ID, Token, Progress: progress });
  }

  async Cancel(ids: readonly string[], now: number): Promise<number> {
    return await this.#call("cancel", { IDs: ids, Now: now });
  }

  async Retry(ids: readonly string[], now: number): Promise<number> {
    return await this.#call("retry", { IDs: ids, Now: now });
  }

  async Delete(ids: readonly string[]): Promise<number> {
    return await this.#call("remove", { IDs: ids });
  }

  async Get(id: string): Promise<JobRecord | null> {
    return await this.#call("get", { ID: id });
  }

  async List(filter: ListFilter): Promise<readonly JobRecord[]> {
    return await this.#call("list", filter);
  }

  async Stats(now: number): Promise<readonly QueueStats[]> {
    const stats = await this.#call<QueueStats[]>("stats", { Now: now });
    return stats.sort((a, b) => a.Queue < b.Queue ? -1 : 1);
  }

  async Sweep(now: number): Promise<number> {
    return await this.#call("sweep", { Now: now });
  }

  async Schedule(schedule: Omit<ScheduleRecord, "Last">, now: number): Promise<ScheduleRecord> {
    return await this.#call("schedule", { ...schedule, Now: now });
  }

  async Schedules(): Promise<readonly ScheduleRecord[]> {
    return await this.#call("list_schedules", {});
  }

  async Unschedule(queue: string, name: string): Promise<boolean> {
    return await this.#call("unschedule", { Queue: queue, Name: name });
  }

  async Tick(tick: Tick, now: number): Promise<boolean> {
    return await this.#call("tick", { ...tick, Now: now });
  }

  async Now(): Promise<number> {
    return Number(await this.#run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision::text"));
  }

  Close(): void {}

  /** Calls a function of the database. */
  async #call<T>(name: string, argument: unknown, run: Run = this.#run): Promise<T> {
    if (!this.#isChecked) await this.#check(run);
    return JSON.parse(String(await run(`SELECT ${this.#schema}.${name}($1::text)::text`, postgresJSON(argument))));
  }

  /** Throws unless the tables are of this version. */
  async #check(run: Run): Promise<void> {
    let version: number;
    try {
      version = Number(await run(`SELECT max(version)::text FROM ${this.#schema}.version`));
    } catch (error) {
      if (!missingCodes.has(codeOf(error))) throw error;
      throw refused(this.#schema, "they do not exist (call Migrate first)", error);
    }
    if (version < tablesVersion) throw refused(this.#schema, "they are of an older version (call Migrate first)");
    if (version > tablesVersion) {
      throw refused(
        this.#schema,
        `their version is ${version}, and this version of fw supports up to ${tablesVersion}`,
      );
    }
    this.#isChecked = true;
  }
}

/** A store that listens for notifications. */
class ListeningStore extends PostgresStore {
  readonly #channel: string;
  readonly #listen: Listen;

  constructor(run: Run, schema: string, listen: Listen) {
    super(run, schema);
    this.#channel = schema;
    this.#listen = listen;
  }

  Watch(wake: () => void): Promise<() => Promise<void>> {
    return new Listener(this.#listen, this.#channel, wake).start();
  }
}

/** PostgreSQL's codes for a table or schema that does not exist. */
const missingCodes: ReadonlySet<string | undefined> = new Set(["42P01", "3F000"]);

function refused(schema: string, reason: string, cause?: unknown): FrameworkError {
  return new FrameworkError("FW_JOB", `Cannot use the job tables in the schema "${schema}": ${reason}`, { cause });
}
