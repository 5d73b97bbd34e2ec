import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { sql } from "npm:drizzle-orm@^0.45";
import { drizzle } from "npm:drizzle-orm@^0.45/node-postgres";
import { CompiledQuery, Kysely, PostgresDialect } from "npm:kysely@^0.29";
import pg from "npm:pg@^8";
import connect from "npm:postgres@^3";
import * as fw from "../../../../mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as postgres from "../../../../src/work/jobs/stores/postgres.ts";
import type { JobRecord, ListFilter, Store } from "../../../../src/work/jobs/store.ts";
import { postgresIsMissing, type PostgresServer, startPostgres } from "../../../recipes/postgres_server.ts";
import { ignoredFor } from "../../../state/sessions/redis_server.ts";
import { newClaim, newJob, type Opened, testStore } from "./store_contract.ts";

const now = Date.UTC(2026, 0, 5, 7);
let server: PostgresServer;
let schemas = 0;

if (postgresIsMissing === undefined) {
  Deno.test.beforeAll(async () => {
    server = await startPostgres();
  });
  Deno.test.afterAll(async () => await server[Symbol.asyncDispose]());
  testStore("postgres with pg", openWithPg);
  testStore("postgres with postgres.js", openWithPostgresJS);
}

/** Registers a test that needs PostgreSQL. */
function behaves(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: name + ignoredFor(postgresIsMissing), ignore: postgresIsMissing !== undefined, fn });
}

function work(_: string): void {}

async function listenWithPg(channel: string, wake: () => void, lost: () => void): Promise<() => Promise<void>> {
  const client = new pg.Client(server.url);
  client.on("notification", wake).on("error", lost);
  await client.connect();
  await client.query(`LISTEN ${channel}`);
  return () => client.end();
}

async function openWithPg(): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: server.url });
  const Schema = `test_${++schemas}`;
  const Listen = listenWithPg;
  const [store, other] = [postgres.New(pool, { Schema, Listen }), postgres.New(pool, { Schema, Listen })];
  await store.Migrate();
  return {
    store,
    other,
    async begin() {
      const tx = await pool.connect();
      await tx.query("BEGIN");
      const end = async (statement: string) => {
        await tx.query(statement);
        tx.release();
      };
      return { tx, commit: () => end("COMMIT"), rollback: () => end("ROLLBACK") };
    },
    close: () => pool.end(),
  };
}

async function openWithPostgresJS(): Promise<Opened> {
  const sql = connect(server.url, { transform: connect.camel });
  const Schema = `test_${++schemas}`;
  const Listen: postgres.Listen = async (channel, wake) => (await sql.listen(channel, wake, wake)).unlisten;
  const [store, other] = [postgres.New(sql, { Schema, Listen }), postgres.New(sql, { Schema, Listen })];
  await store.Migrate();
  return {
    store,
    other,
    async begin() {
      const tx = await sql.reserve();
      await tx`BEGIN`;
      const end = async (statement: string) => {
        await tx.unsafe(statement);
        tx.release();
      };
      return { tx, commit: () => end("COMMIT"), rollback: () => end("ROLLBACK") };
    },
    close: () => sql.end(),
  };
}

behaves("postgres.New() works with drizzle and kysely", async () => {
  const pool = new pg.Pool({ connectionString: server.url });
  const database = drizzle(pool);
  const builder = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const inDrizzle = (tx: Pick<typeof database, "execute">): postgres.Query => (text, values) =>
    tx.execute(sql.join(text.split("$1").map((part) => sql.raw(part)), sql`${values[0]}`));
  const inKysely = (tx: Pick<Kysely<unknown>, "executeQuery">): postgres.Query => (text, values) =>
    tx.executeQuery(CompiledQuery.raw(text, values));
  const Schema = "other_clients";
  const withDrizzle = postgres.New(inDrizzle(database), { Schema });
  const withKysely = postgres.New(inKysely(builder), { Schema });
  await withDrizzle.Migrate();
  const [first, second, third, fourth] = [newJob(), newJob(), newJob(), newJob()];
  await database.transaction(async (tx) => void await withDrizzle.Add([first], now, inDrizzle(tx)));
  await assertRejects(() =>
    database.transaction(async (tx) => {
      await withDrizzle.Add([second], now, inDrizzle(tx));
      tx.rollback();
    })
  );
  await builder.transaction().execute(async (tx) => void await withKysely.Add([third], now, inKysely(tx)));
  await assertRejects(() =>
    builder.transaction().execute(async (tx) => {
      await withKysely.Add([fourth], now, inKysely(tx));
      throw new Error("roll back");
    })
  );
  const { Jobs } = await withKysely.Claim(newClaim());
  assertEquals(Jobs.map(({ ID }) => ID), [first.ID, third.ID]);
  assertEquals((await withDrizzle.Get(first.ID))?.State, "running");
  await pool.end();
});

behaves(
  "postgres.New() repeats a call that PostgreSQL ends because of a deadlock, outside of transactions",
  async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    let deadlocks = 0;
    const query: postgres.Query = (text, values) => {
      if (deadlocks-- <= 0) return client.query(text, values);
      return Promise.reject(Object.assign(new Error("deadlock detected"), { code: "40P01" }));
    };
    try {
      const store = postgres.New(query, { Schema: "deadlock" });
      await store.Migrate();
      deadlocks = 1;
      assertEquals((await store.Add([newJob()], now)).length, 1);
      deadlocks = 1;
      await assertRejects(async () => await store.Add([newJob()], now, query), Error, "deadlock detected");
      deadlocks = 2;
      await assertRejects(async () => await store.Add([newJob()], now), Error, "deadlock detected");
      assertEquals((await store.List({ Limit: 9 })).length, 1);
    } finally {
      await client.end();
    }
  },
);

behaves("postgres.New() refuses what is not a connection, and names that are no schema", async () => {
  assertThrows(() => postgres.New({} as postgres.Connection), fw.FrameworkError, '"npm:pg"');
  const query: postgres.Query = () => Promise.resolve([]);
  assertThrows(() => postgres.New(query, { Schema: 'a"; DROP' }), fw.FrameworkError, "schema");
  await Promise.resolve();
});

behaves("Store.Migrate() is safe from many processes, and refuses the tables of a newer version", async () => {
  const sql = connect(server.url, { max: 8 });
  const stores = Array.from({ length: 8 }, () => postgres.New(sql, { Schema: "versions" }));
  await assertRejects(async () => await stores[0]?.Add([newJob()], now), fw.FrameworkError, "call Migrate first");
  await Promise.all(stores.map((store) => store.Migrate()));
  await stores[0]?.Add([newJob()], now);
  await sql`UPDATE versions.version SET version = 99`;
  for (const act of [(store: Store) => store.Migrate(), (store: Store) => store.Add([newJob()], now)]) {
    const old = postgres.New(sql, { Schema: "versions" });
    await assertRejects(async () => await act(old), fw.FrameworkError, "their version 99 is newer than version");
  }
  assertEquals((await sql`SELECT version FROM versions.version`)[0]?.version, 99);
  await sql.end();
});

/** Returns the statements that created the tables in an earlier version. */
function formerTables(version: number): Promise<string> {
  return Deno.readTextFile(new URL(`../../../testdata/jobs/postgres_${version}.sql`, import.meta.url));
}

/** Creates the tables of version 1, with the functions that processes of that version call. */
async function createVersion1(sql: ReturnType<typeof connect>, schema: string): Promise<void> {
  const functions = ["add", "claim", "finish", "list"].map((name) =>
    `CREATE FUNCTION @.${name}(input json) RETURNS text LANGUAGE sql AS $$ SELECT 'of version 1' $$;`
  );
  const statements = `
    ${await formerTables(1)} ${functions.join("\n")}
    CREATE FUNCTION @.record_of(job @.jobs) RETURNS text LANGUAGE sql AS $$ SELECT job.id $$;
    INSERT INTO @.schedules VALUES ('default', 'digest', '* * * * *', 'UTC', 5);
    INSERT INTO @.jobs (id, queue, name, data, due, priority, max_attempts, state, added, attempt, token, error, key,
      holds_key, lease_until, finished, keep_until) VALUES
      ('waiting', 'default', 'Remind', '{"n":1}', 0, 0, 3, 'waiting', 0, 0, 0, NULL, 'once', true, NULL, NULL, NULL),
      ('retried', 'default', 'Remind', '{}', 0, 0, 3, 'waiting', 0, 2, 2, 'no', NULL, false, NULL, NULL, NULL),
      ('running', 'default', 'Remind', '{}', 0, 0, 3, 'running', 0, 1, 1, NULL, NULL, false, ${
    now + 60_000
  }, NULL, NULL),
      ('crashed', 'default', 'Remind', '{}', 0, 0, 3, 'running', 0, 1, 1, NULL, NULL, false, 5, NULL, NULL),
      ('failed', 'default', 'Remind', '{}', 0, 0, 3, 'failed', 0, 3, 3, 'no', NULL, false, NULL, 9, NULL),
      ('done', 'other', 'Bill', '{}', 0, 0, 3, 'done', 0, 1, 1, NULL, NULL, false, NULL, 9, ${now + 60_000}),
      ('old', 'other', 'Bill', '{}', 0, 0, 3, 'done', 0, 1, 1, NULL, NULL, false, NULL, 9, 10);`;
  await sql.unsafe(statements.replaceAll("@", schema));
}

behaves("Store.Migrate() keeps the jobs, keys, claims and schedules of version 1", async () => {
  const sql = connect(server.url, { onnotice() {} });
  await createVersion1(sql, "former");
  const store = postgres.New(sql, { Schema: "former" });
  await assertRejects(async () => await store.Add([newJob()], now), fw.FrameworkError, "call Migrate first");
  await Promise.all([store.Migrate(), postgres.New(sql, { Schema: "former" }).Migrate()]);
  assertEquals(await store.Stats(now), [
    { Queue: "default", Waiting: 2, Due: 2, Running: 2, Failed: 1, Done: 0, OldestDue: 0 },
    { Queue: "other", Waiting: 0, Due: 0, Running: 0, Failed: 0, Done: 2, OldestDue: null },
  ]);
  const ids = async (filter: Partial<ListFilter>) => (await store.List({ Limit: 9, ...filter })).map(({ ID }) => ID);
  assertEquals(await ids({}), ["old", "done", "failed", "crashed", "running", "retried", "waiting"]);
  assertEquals(await ids({ IsRetried: true }), ["retried"]);
  assertEquals(await ids({ State: "failed" }), ["failed"]);
  assertEquals(await store.Add([newJob({ Key: "once" })], now), [{ ID: "waiting", IsNew: false }]);
  assertEquals(await store.Renew([{ ID: "running", Token: 1 }], now + 90_000), ["renewed"]);
  const { Jobs } = await store.Claim(newClaim());
  assertEquals(Jobs.map(({ ID, Attempt }) => [ID, Attempt]), [["waiting", 1], ["retried", 3], ["crashed", 1]]);
  assertEquals(Jobs.find(({ ID }) => ID === "crashed")?.Crashes, 1);
  assertEquals([await store.Finish([{ ID: "running", Token: 1, State: "done" }], now), await store.Sweep(now)], [
    [true],
    1,
  ]);
  assertEquals(await store.Retry(["failed"], now), 1);
  assertEquals((await store.Schedules())[0], {
    Queue: "default",
    Name: "digest",
    Cron: "* * * * *",
    TimeZone: "UTC",
    Last: 5,
    Job: "",
    Data: "null",
  });
  await sql.end();
});

behaves(
  "Store.Migrate() refuses the calls of a process of version 1, and leaves nothing half done if it fails",
  async () => {
    const sql = connect(server.url, { onnotice() {} });
    await createVersion1(sql, "kept");
    // The table of the counters exists, so that the step fails in the middle.
    await sql`CREATE TABLE kept.counts (n integer)`;
    const store = postgres.New(sql, { Schema: "kept" });
    await assertRejects(async () => await store.Migrate(), Error, "already exists");
    assertEquals((await sql`SELECT version FROM kept.version`)[0]?.version, 1);
    assertEquals((await sql`SELECT kept.add('{}') AS result`)[0]?.result, "of version 1");
    await sql`DROP TABLE kept.counts`;
    await store.Migrate();
    const call = sql`SELECT kept.add('{"Jobs": [], "Now": 0}')`;
    await assertRejects(async () => await call, Error, "the job tables have version 3");
    await sql.end();
  },
);

behaves("Store.Migrate() keeps the jobs of version 2, and refuses the calls of a process of that version", async () => {
  const sql = connect(server.url, { onnotice() {} });
  await sql.unsafe((await formerTables(2)).replaceAll("@", "second"));
  const call = (name: string, input: object) =>
    sql.unsafe(`SELECT second.${name}($1::text::jsonb)::text`, [JSON.stringify({ ...input, Version: 2 })]);
  const [once, later, last] = [newJob({ Key: "once" }), newJob({ Due: Date.now() + 60_000 }), newJob({ Pending: 1 })];
  const part = newJob({ Batch: last.ID });
  await call("add", { Jobs: [once, later, last, part], Now: now });
  await call("claim", newClaim({ Count: 1, LeaseUntil: now + 5, Limits: { Rate: { Limit: 9, Period: 100 } } }));
  await call("claim", newClaim({ Now: now + 10, Count: 0 }));
  await call("add", { Jobs: [newJob({ Key: "other" })], Now: now });
  const store = postgres.New(sql, { Schema: "second" });
  await assertRejects(async () => await store.Add([newJob()], now), fw.FrameworkError, "call Migrate first");
  await store.Migrate();
  await assertRejects(async () => await call("pauses", { Queue: "default" }), Error, "the job tables have version 3");
  const [stats] = await store.Stats(now + 20);
  assertEquals([stats?.Waiting, stats?.Due, stats?.Running, stats?.OldestDue], [5, 3, 0, now]);
  assertEquals((await store.Add([newJob({ Key: "other" })], now))[0]?.IsNew, false);
  const Limits = { Rate: { Limit: 1, Period: 100 } };
  assertEquals((await store.Claim(newClaim({ Now: now + 20, Limits }))).Next, now + 100);
  const { Jobs } = await store.Claim(newClaim({ Now: now + 60 }));
  const claimed = Jobs.map(({ ID, Crashes }) => [ID, Crashes]);
  assertEquals([claimed.length, claimed[0], claimed[2]], [3, [part.ID, 0], [once.ID, 1]]);
  const { ID, Token } = Jobs.find((job) => job.ID === part.ID) as JobRecord;
  assertEquals(await store.Finish([{ ID, Token, State: "done" }], now + 61), [true]);
  assertEquals((await store.Get(last.ID))?.Due, now + 61);
  const due = (await store.Claim(newClaim({ Now: later.Due }))).Jobs.map(({ ID }) => ID);
  assertEquals(due.slice(0, 2), [last.ID, later.ID]);
  await sql.end();
});

behaves("Store.Migrate() needs no privilege if the tables exist", async () => {
  const owner = connect(server.url, { onnotice() {} });
  await postgres.New(owner, { Schema: "owned" }).Migrate();
  await owner.unsafe(`
    CREATE ROLE clerk LOGIN;
    GRANT USAGE ON SCHEMA owned TO clerk;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA owned TO clerk;`);
  const clerk = connect(server.url.replace("fw@", "clerk@"));
  const store = postgres.New(clerk, { Schema: "owned" });
  await store.Migrate();
  assertEquals((await store.Add([newJob()], now))[0]?.IsNew, true);
  assertEquals((await store.Claim(newClaim())).Jobs.length, 1);
  await Promise.all([owner.end(), clerk.end()]);
});

behaves("Store.Finish() stores errors that PostgreSQL cannot hold as text", async () => {
  const { store, close } = await openWithPg();
  await store.Add([newJob({ Key: "a\0\ud800" })], now);
  const { Jobs: [job] } = await store.Claim(newClaim());
  assertEquals(job?.Key, "a\ufffd\ufffd");
  const { ID, Token } = job as JobRecord;
  assertEquals(await store.Finish([{ ID, Token, State: "failed", Error: "no \0 \udfff \\u0000" }], now), [true]);
  assertEquals((await store.Get(ID))?.Error, "no \ufffd \ufffd \\u0000");
  await close();
});

behaves("Store.Finish() lets one of two jobs with the same key hold it again", async () => {
  const { store, close } = await openWithPg();
  await store.Add([newJob({ Key: "k" })], now);
  const { Jobs: [first] } = await store.Claim(newClaim());
  await store.Add([newJob({ Key: "k" })], now);
  const { Jobs: [second] } = await store.Claim(newClaim());
  const again = [first, second].map((job) => ({ ...job as JobRecord, State: "waiting" as const, Due: now }));
  assertEquals(await store.Finish(again, now), [true, true]);
  assertEquals((await store.Add([newJob({ Key: "k" })], now))[0], { ID: first?.ID as string, IsNew: false });
  await close();
});

behaves("Store.Finish() does not wait for a transaction that adds a job with the same key", async () => {
  const { store, begin, close } = await openWithPg();
  await store.Add([newJob({ Key: "k" })], now);
  const { Jobs } = await store.Claim(newClaim());
  const transaction = await begin?.();
  const twin = newJob({ Key: "k", Due: now + 1 });
  await store.Add([twin], now, transaction?.tx);
  const again = Jobs.map((job) => ({ ...job, State: "waiting" as const, Due: now }));
  assertEquals(await store.Finish(again, now), [true]);
  await transaction?.commit();
  assertEquals((await store.Add([newJob({ Key: "k" })], now))[0], { ID: twin.ID, IsNew: false });
  await close();
});

behaves("Store.Add() in 1,000 transactions adds a job for each one that is committed", async () => {
  const { store, begin, close } = await openWithPg();
  let committed = 0;
  await inBatches(1000, 8, async (i) => {
    const transaction = await begin?.();
    await store.Add([newJob({ Key: i % 4 < 2 ? `key ${i}` : null })], now, transaction?.tx);
    if (i % 2 === 0) committed++;
    await (i % 2 === 0 ? transaction?.commit() : transaction?.rollback());
  });
  const [stats] = await store.Stats(now);
  assertEquals([committed, stats?.Waiting], [500, 500]);
  await close();
});

behaves("Queue.In() joins a transaction that holds the only connection", async () => {
  for (const commits of [true, false]) {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const Schema = `test_${++schemas}`;
    await postgres.New(pool, { Schema }).Migrate();
    const queue = jobs.New(postgres.New(pool, { Schema }));
    const tx = await pool.connect();
    await tx.query("BEGIN");
    await queue.In(tx).Add(work, "in a transaction");
    await tx.query(commits ? "COMMIT" : "ROLLBACK");
    tx.release();
    assertEquals((await queue.Stats()).Waiting, commits ? 1 : 0);
    await pool.end();
  }
});

behaves("Queue.Run() starts a job at once if another process adds it, with and without notifications", async () => {
  for (const Listen of [undefined, listenWithPg]) {
    const pool = new pg.Pool({ connectionString: server.url });
    const Schema = `test_${++schemas}`;
    const started = Promise.withResolvers<string>();
    const start = (data: string) => started.resolve(data);
    const store = postgres.New(pool, { Schema, ...Listen && { Listen } });
    await store.Migrate();
    const queue = jobs.New(store, { PollEvery: Listen === undefined ? 50 : 60_000 }).Handle(start);
    const ended = queue.Run();
    await queue.List();
    await jobs.New(postgres.New(pool, { Schema })).Add(start, "now");
    assertEquals(await started.promise, "now");
    await queue.Shutdown();
    await ended;
    await pool.end();
  }
});

behaves("Store.Watch() listens again after the connection was lost", async () => {
  for (const open of [openWithPg, openWithPostgresJS]) {
    const { store, other, close } = await open();
    const admin = connect(server.url);
    let wakes = 0;
    let woken = Promise.withResolvers<void>();
    const stop = await store.Watch?.(() => {
      wakes++;
      woken.resolve();
    });
    await woken.promise;
    woken = Promise.withResolvers();
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE lower(query) LIKE 'listen%'`;
    await woken.promise; // it listens again
    woken = Promise.withResolvers();
    await other.Add([newJob()], now);
    await woken.promise;
    assertEquals(wakes >= 3, true);
    await stop?.();
    await Promise.all([admin.end(), close()]);
  }
});

/** Runs a function with the numbers below the count, several at once. */
async function inBatches(count: number, size: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: size }, async () => {
    while (next < count) await run(next++);
  }));
}
