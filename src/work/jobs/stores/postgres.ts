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

import { func, text, where } from "../../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../../base/config/option_table.ts";
import { DatabaseStore } from "./database_store.ts";
import { checkVersion, databaseJSON } from "./job_columns.ts";
import { codeOf, keepListening, runnerOf } from "../../../state/store/postgres.ts";
import type { Connection, Listen, Run } from "../../../state/store/postgres.ts";
import { otherVersion } from "./postgres_functions.ts";
import { migrationOf, tablesVersion } from "./postgres_schema.ts";
import type * as jobs from "../store.ts";

export type { Connection, Listen, Query } from "../../../state/store/postgres.ts";

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

/** The codes for tables of another version, and for a schema, table or function that does not exist. */
const unusable = [otherVersion, "3F000", "42P01", "42883"];
/** The code for a statement that PostgreSQL ends because two of them wait for each other. */
const deadlock = "40P01";
const schemaName = /^[a-z_][a-z0-9_]{0,47}$/;
const table = optionTable<Options>("jobs/postgres.Options", "the PostgreSQL job store")({
  Schema: where(text("fw_jobs"), "a schema name of lowercase letters, digits and _", (name) => schemaName.test(name)),
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
  const store = new PostgresStore(runnerOf(connection, "use the connection", "FW_CONFIG"), Schema);
  if (Listen !== undefined) store.Watch = (wake) => keepListening(Listen, Schema, wake);
  return store;
}

class PostgresStore extends DatabaseStore {
  readonly #run: Run;
  readonly #schema: string;
  Watch?: Required<jobs.Store>["Watch"];

  constructor(run: Run, schema: string) {
    super();
    this.#run = run;
    this.#schema = schema;
  }

  override async Migrate(): Promise<void> {
    await this.#run(migrationOf(this.#schema));
    // Any call fails if the tables are of a newer version.
    await this.Schedules();
  }

  async Now(transaction?: unknown): Promise<number> {
    return Number(await this.#runIn(transaction)("SELECT extract(epoch FROM clock_timestamp()) * 1000"));
  }

  override async call(name: string, input: object, transaction?: unknown): Promise<unknown> {
    const json = databaseJSON({ ...input, Version: tablesVersion });
    const run = () => this.#runIn(transaction)(`SELECT ${this.#schema}.${name}($1::text::jsonb)::text`, json);
    try {
      // Two calls may wait for each other, such as for two jobs of one batch. One of them has had no effect then.
      const output = await run().catch((error) => {
        if (codeOf(error) !== deadlock || transaction !== undefined) throw error;
        return run();
      });
      return JSON.parse(String(output));
    } catch (error) {
      const code = codeOf(error) ?? "";
      const found = code === otherVersion ? Number(/version (\d+)/.exec(String(error))?.[1] ?? Infinity) : 0;
      if (unusable.includes(code)) checkVersion(`the job tables in the schema "${this.#schema}"`, found, tablesVersion);
      throw error;
    }
  }

  #runIn(transaction: unknown): Run {
    return transaction === undefined ? this.#run : runnerOf(transaction, "add a job in a transaction", "FW_JOB");
  }
}
