/**
 * A process that runs jobs in PostgreSQL and records each run: `postgres_worker.ts URL CLIENT`.
 *
 * @module
 */

import pg from "npm:pg@^8";
import connect from "npm:postgres@^3";
import * as jobs from "../../../src/work/jobs/mod.ts";
import * as postgres from "../../../src/work/jobs/stores/postgres.ts";

/** The maximum number of jobs that a process runs at the same time. */
export const concurrency = 10;

/** Records a run. The data is the number of the job. */
export async function record(n: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await insert(n);
}

let insert: (n: number) => PromiseLike<unknown>;

if (import.meta.main) {
  const [url = "", client] = Deno.args;
  const store = client === "pg" ? withPg(url) : withPostgresJS(url);
  await jobs.New(store, { Concurrency: concurrency, Lease: 10_000, Backoff: () => 100, KeepDone: 0 }).Handle(record)
    .Run();
  Deno.exit();
}

function withPg(url: string): jobs.Store {
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => {});
  insert = (n) => pool.query("INSERT INTO runs VALUES ($1)", [n]);
  return postgres.New(pool, {
    async Listen(channel, wake, lost) {
      const client = new pg.Client(url);
      client.on("notification", wake).on("error", lost);
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      return () => client.end();
    },
  });
}

function withPostgresJS(url: string): jobs.Store {
  const sql = connect(url, { onnotice() {} });
  insert = (n) => sql`INSERT INTO runs VALUES (${n})`;
  return postgres.New(sql, {
    Listen: async (channel, wake) => (await sql.listen(channel, wake, wake)).unlisten,
  });
}
