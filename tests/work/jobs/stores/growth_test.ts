import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import pg from "npm:pg@^8";
import type { Store } from "../../../../src/work/jobs/store.ts";
import * as postgres from "../../../../src/work/jobs/stores/postgres.ts";
import { migrationFrom } from "../../../../src/work/jobs/stores/sqlite_schema.ts";
import { statements } from "../../../../src/work/jobs/stores/sqlite_statements.ts";
import { SQLiteStore } from "../../../../src/work/jobs/stores/sqlite_store.ts";
import { postgresIsMissing, startPostgres } from "../../../recipes/postgres_server.ts";
import { testUnless } from "../../../skipped.ts";
import { newClaim, newJob } from "./store_contract.ts";

const now = Date.UTC(2026, 0, 5, 7);

/** The calls that must not read more rows if more jobs have ended. */
const calls: Readonly<Record<string, (store: Store, middle: number) => unknown>> = {
  "Stats": (store) => store.Stats(now),
  "Kinds": (store) => store.Kinds("default"),
  "List": (store) => store.List({ Limit: 50 }),
  "List of a queue": (store) => store.List({ Limit: 50, Queue: "default" }),
  "List of failed jobs": (store) => store.List({ Limit: 50, State: "failed" }),
  "List of a kind": (store) => store.List({ Limit: 50, Name: "Bill", State: "done" }),
  "List of retried jobs": (store) => store.List({ Limit: 50, IsRetried: true }),
  "a page in the middle": (store, middle) => store.List({ Limit: 50, Before: middle }),
  "a page of failed jobs in the middle": (store, middle) => store.List({ Limit: 50, State: "failed", Before: middle }),
  "Pauses": (store) => store.Pauses("default"),
  "Unreported": (store) => store.Unreported("default", now, now + 1),
  "Claim": (store) => store.Claim(newClaim()),
  "Add with a key": (store) => store.Add([newJob({ Key: "new" }), newJob({ Key: "old 7" })], now),
  "Retry": (store) => store.Retry(["old 10"], now),
  "Sweep": (store) => store.Sweep(now),
};

/** The columns and values of jobs that have ended. The numbers come from a series. */
const ended = {
  columns: "id, key, holds_key, queue, name, data, due, priority, max_attempts, attempt, added, finished, state",
  values:
    `'old ' || n, 'old ' || n, true, 'default', CASE n % 3 WHEN 0 THEN 'Bill' WHEN 1 THEN 'Remind' ELSE 'Pack' END, '{}', ${
      now - 10
    },
    n % 5, 3, 1, ${now - 10}, ${now - 5}, CASE WHEN n % 10 = 0 THEN 'failed' WHEN n % 17 = 0 THEN 'canceled' ELSE 'done'
    END`,
};

/** A store whose read rows are counted. */
interface Counting {
  readonly store: Store;
  /** Adds jobs that have ended. */
  addEnded(from: number, to: number): Promise<void>;
  /** Runs a call and returns the number of rows that it has read. */
  rowsOf(call: () => unknown): Promise<number>;
}

/** Compares the rows that all calls read with few and with many jobs that have ended. */
async function compare({ store, addEnded, rowsOf }: Counting): Promise<void> {
  // Every kind has more than a page from the start. PostgreSQL chooses other plans for more than 100,000 rows.
  const [few, many] = [9_000, 150_000];
  await addEnded(1, few);
  const count = async (middle: number) => {
    await store.Add([newJob({ Due: now + 60_000 })], now);
    const rows: Record<string, number> = {};
    for (const [name, call] of Object.entries(calls)) rows[name] = await rowsOf(() => call(store, middle));
    return rows;
  };
  const before = await count(few / 2);
  await addEnded(few + 1, many);
  const after = await count(many / 2);
  for (const [name, rows] of Object.entries(after)) {
    // A few more: the job that the test has added, and the numbers of kinds, which PostgreSQL adds up later.
    assertLessOrEqual(rows, (before[name] ?? 0) + 50, `${name} read ${before[name]} rows, and then ${rows}`);
  }
  assert((after["List"] ?? 0) >= 50, JSON.stringify(after));
}

Deno.test("SQLite reads no more rows if more jobs have ended", async () => {
  let rows = 0;
  const database = new DatabaseSync(":memory:");
  database.function("counted", () => {
    rows++;
    return 1;
  });
  database.exec(migrationFrom(0));
  // A function that is not deterministic is called for every row that the search through an index yields.
  const counting = Object.fromEntries(
    Object.entries(statements).map((
      [name, sql],
    ) => [name, sql.replaceAll(/(?:FROM|UPDATE) fw_job_\w+(?: AS \w+)?(?: SET [^;]*?)? WHERE /g, "$&counted() AND ")]),
  );
  assert(Object.entries(counting).filter(([name, sql]) => sql !== statements[name]).length > 30);
  const store = new SQLiteStore(database, counting);
  try {
    await compare({
      store,
      addEnded: (from, to) =>
        Promise.resolve(database.exec(
          `WITH RECURSIVE series(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM series WHERE n < ${to})
          INSERT INTO fw_job_records (${ended.columns}) SELECT ${ended.values} FROM series`,
        )),
      async rowsOf(call) {
        rows = 0;
        await call();
        return rows;
      },
    });
  } finally {
    await store.Close();
  }
});

testUnless(postgresIsMissing, "PostgreSQL reads no more rows if more jobs have ended", async () => {
  await using server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  const store = postgres.New(client, { Schema: "growing" });
  await store.Migrate();
  const readRows = async () => {
    const { rows } = await client.query(`SELECT sum(pg_stat_get_xact_tuples_returned(oid)
      + pg_stat_get_xact_tuples_fetched(oid))::integer AS n FROM pg_class WHERE relnamespace = 'growing'::regnamespace`);
    return rows[0].n as number;
  };
  try {
    await compare({
      store,
      async addEnded(from, to) {
        await client.query(
          `INSERT INTO growing.jobs (${ended.columns}) SELECT ${ended.values}
          FROM generate_series(${from}, ${to}) AS n`,
        );
        // A process that starts later plans with the larger table.
        await client.query("DISCARD PLANS");
      },
      async rowsOf(call) {
        await client.query("BEGIN");
        const before = await readRows();
        await call();
        const after = await readRows();
        await client.query("ROLLBACK");
        return after - before;
      },
    });
    assertEquals((await store.Stats(now))[0]?.Failed, 15_000);
  } finally {
    await client.end();
  }
});

testUnless(postgresIsMissing, "PostgreSQL adds up the numbers of jobs when jobs or kinds are listed", async () => {
  await using server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  const store = postgres.New(client, { Schema: "changing" });
  await store.Migrate();
  await store.Add([newJob({ Name: "Bill" })], now);
  try {
    for (const look of [() => store.List({ Limit: 50 }), () => store.Kinds("default"), () => store.Stats(now)]) {
      // Each statement that changes jobs leaves rows with the differences. Without a worker, they are not swept.
      await client.query(`INSERT INTO changing.counts
        SELECT 'default', 'Bill', 'ready', (n % 2) * 2 - 1 FROM generate_series(1, 5000) AS n`);
      assertEquals((await look()).length, 1);
      const { rows } = await client.query("SELECT count(*)::integer AS n FROM changing.counts");
      assertLessOrEqual(rows[0].n, 1_000);
    }
  } finally {
    await client.end();
  }
});
