import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { New } from "../../../../src/work/jobs/stores/sqlite.ts";
import { newClaim, newJob, testStore } from "./store_contract.ts";

testStore("SQLite", async () => {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const [store, other] = [New({ File }), New({ File })];
  await store.Migrate();
  return {
    store,
    other,
    begin() {
      const tx = new DatabaseSync(File);
      tx.exec("BEGIN IMMEDIATE");
      const end = (sql: string) => {
        tx.exec(sql);
        tx.close();
      };
      return { tx, commit: () => end("COMMIT"), rollback: () => end("ROLLBACK") };
    },
    async close() {
      await store.Close();
      await other.Close();
      await Deno.remove(folder, { recursive: true });
    },
  };
});

/** Calls a function with the path of a database that is deleted afterwards. */
async function withFile(use: (file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(`${folder}/jobs.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Migrates eight stores while another connection writes.
 *
 * @param wait The time for which the other connection writes, in milliseconds.
 * @returns The number of turns of the event loop in this time.
 */
async function migrateBesideWriter(File: string, mode: string, wait: number): Promise<number> {
  const writer = new DatabaseSync(File);
  writer.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a)`);
  writer.exec("BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)");
  const stores = Array.from({ length: 8 }, () => New({ File }));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const migrated = Promise.all(stores.map((store) => store.Migrate()));
  await new Promise((resolve) => setTimeout(resolve, wait));
  const seen = turns;
  writer.exec("COMMIT");
  await migrated;
  clearInterval(timer);
  assertEquals((await stores[0]?.Add([newJob()], 0))?.[0]?.IsNew, true);
  writer.close();
  for (const store of stores) await store.Close();
  return seen;
}

Deno.test("sqlite.New() opens a file while another connection writes, and Migrate() waits for it", async () => {
  for (const mode of ["DELETE", "WAL"]) {
    let turns = 0;
    // On a busy machine, the event loop needs more time.
    for (const wait of [50, 500, 4_000]) {
      await withFile(async (File) => void (turns = await migrateBesideWriter(File, mode, wait)));
      if (turns > 3) break;
    }
    assert(turns > 3, "the event loop was blocked");
  }
});

/** Returns the statements that created the tables in an earlier version. */
function formerTables(version: number): Promise<string> {
  return Deno.readTextFile(new URL(`../../../testdata/jobs/sqlite_${version}.sql`, import.meta.url));
}

Deno.test("Store.Migrate() keeps the jobs of version 1, and a process of that version can no longer write", async () => {
  await withFile(async (File) => {
    const old = new DatabaseSync(File);
    old.exec(`PRAGMA journal_mode = WAL; ${await formerTables(1)}`);
    const insert = old.prepare(`INSERT INTO fw_jobs (id, queue, name, data, due, priority, max_attempts, state, added,
      attempt, error) VALUES (?, 'default', 'Remind', '{}', 0, 0, 3, ?, 0, ?, ?)`);
    insert.run("ready", "ready", 0, null);
    insert.run("failed", "failed", 3, "no");
    insert.run("retried", "later", 2, "no");
    old.exec("INSERT INTO fw_job_schedules VALUES ('default', 'digest', '* * * * *', 'UTC', 5)");
    const store = New({ File });
    await assertRejects(async () => await store.Add([newJob()], 0), Error, "call Migrate first");
    await store.Migrate();
    const counts = { Waiting: 2, Due: 2, Running: 0, Failed: 1, Done: 0, OldestDue: 0 };
    assertEquals(await store.Stats(1), [{ Queue: "default", ...counts }]);
    assertEquals((await store.List({ Limit: 5, IsRetried: true })).map(({ ID }) => ID), ["retried"]);
    const { Jobs } = await store.Claim(newClaim({ Now: 1 }));
    assertEquals(Jobs.map(({ ID, Attempt }) => [ID, Attempt]), [["ready", 1], ["retried", 3]]);
    assertEquals((await store.Schedules())[0]?.Last, 5);
    assertThrows(() => insert.run("late", "ready", 0, null), Error, "no such table");
    old.close();
    await store.Close();
  });
});

Deno.test("Store.Migrate() keeps the jobs, keys and starts of version 2, and a process of that version cannot write", async () => {
  await withFile(async (File) => {
    const old = new DatabaseSync(File);
    old.exec(`PRAGMA journal_mode = WAL; ${await formerTables(2)}`);
    const insert = old.prepare(`INSERT INTO fw_job_records (id, queue, name, data, due, priority, max_attempts, state,
      added, attempt, crashes, key, held, batch, in_batch, pending)
      VALUES (?, 'default', 'Remind', '{}', ?, 0, 3, ?, 0, ?, ?, ?, ?, ?, ?, ?)`);
    insert.run("ready", 0, "ready", 0, 0, "once", "once", null, 0, 0);
    insert.run("later", 50, "later", 2, 0, null, null, null, 0, 0);
    insert.run("suspect", 0, "suspect", 1, 1, null, null, null, 0, 0);
    insert.run("last", 8.64e15, "later", 0, 0, null, null, null, 0, 1);
    insert.run("part", 0, "ready", 0, 0, "free", null, "last", 1, 0);
    old.exec(`INSERT INTO fw_job_starts VALUES ('["default"]', 0, 100), ('["default","ada"]', 0, 200)`);
    const store = New({ File });
    await assertRejects(async () => await store.Add([newJob()], 0), Error, "call Migrate first");
    await store.Migrate();
    const counts = { Waiting: 5, Due: 3, Running: 0, Failed: 0, Done: 0, OldestDue: 0 };
    assertEquals(await store.Stats(1), [{ Queue: "default", ...counts }]);
    assertEquals((await store.List({ Limit: 5, IsRetried: true })).map(({ ID }) => ID), ["suspect", "later"]);
    const added = await store.Add([newJob({ Key: "once" }), newJob({ Key: "free", Due: 99 })], 1);
    assertEquals([added[0], added[1]?.IsNew], [{ ID: "ready", IsNew: false }, true]);
    const Limits = { Rate: { Limit: 1, Period: 100 } };
    assertEquals((await store.Claim(newClaim({ Now: 99, Limits }))).Next, 100);
    const { Jobs } = await store.Claim(newClaim({ Now: 60 }));
    assertEquals(Jobs.map(({ ID, Attempt }) => [ID, Attempt]), [["ready", 1], ["part", 1], ["later", 3], [
      "suspect",
      2,
    ]]);
    assertEquals(await store.Finish([{ ID: "part", Token: 1, State: "done" }], 61), [true]);
    assertEquals((await store.Get("last"))?.Due, 61);
    assertThrows(() => insert.run("late", 0, "ready", 0, 0, null, null, null, 0, 0), Error, "no column named held");
    old.close();
    await store.Close();
  });
});

Deno.test("Store stops writing when a newer version has updated the tables", async () => {
  await withFile(async (File) => {
    const store = New({ File });
    await store.Migrate();
    await store.Add([newJob()], 0);
    const newer = new DatabaseSync(File);
    newer.exec("UPDATE fw_job_version SET version = 99");
    const acts = [
      () => store.Add([newJob()], 0),
      () => store.Claim(newClaim()),
      () => store.Sweep(0),
      () => store.Migrate(),
    ];
    for (const act of acts) await assertRejects(async () => void await act(), Error, "their version 99 is newer");
    newer.close();
    await store.Close();
  });
});

Deno.test("Sweep() deletes the starts of limited jobs in slices", () =>
  withFile(async (File) => {
    const store = New({ File });
    await store.Migrate();
    const database = new DatabaseSync(File);
    const numbers = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 12000) SELECT";
    database.exec(`INSERT INTO fw_job_starts ${numbers} 'a', n, n FROM n`);
    database.exec(`INSERT INTO fw_job_ticks ${numbers} 'a', 'b', -n - 1e12 FROM n`);
    const rows = () =>
      database.prepare("SELECT (SELECT count(*) FROM fw_job_starts), (SELECT count(*) FROM fw_job_ticks)");
    const left: unknown[] = [];
    for (let swept = 1; swept > 0;) {
      swept = await store.Sweep(20_000);
      left.push(Object.values(rows().get() ?? {}));
    }
    assertEquals(left, [[7_000, 7_000], [2_000, 2_000], [0, 0]]);
    database.close();
    await store.Close();
  }));
