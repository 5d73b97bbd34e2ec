import { assert, assertEquals } from "@std/assert";
import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import { fromFileUrl } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { runWithKills } from "./processes/kills.ts";
import { expectedTicks, runTicks } from "./processes/ticks.ts";
import { writeTogether } from "./processes/writers.ts";

// The programs in the folder processes run the same with larger numbers.

Deno.test("Queue.Run() loses no job if processes are killed, and runs few jobs twice", async () => {
  const concurrency = 5;
  const { kills, lost, duplicates } = await runWithKills({ count: 200, killEvery: 1_500, concurrency, duration: 200 });
  assertEquals(lost, 0);
  assert(duplicates <= kills * concurrency, `${duplicates} duplicates after ${kills} kills`);
});

Deno.test("sqlite.New() lets processes write together without errors", async () => {
  const { errors, commits, orders, added, ran, waiting } = await writeTogether(4, 2_000);
  assertEquals(errors, []);
  assertEquals([orders, ran + waiting], [commits, added]);
});

Deno.test("Queue.Schedule() runs a job once per tick in three processes over both changes of summer time", async () => {
  for (const start of ["2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z"]) {
    const first = Date.parse(start);
    assertEquals(await runTicks(first, 6, 200), expectedTicks(first, 6));
  }
});

Deno.test("Queue.In() adds a job if and only if the transaction is committed", async () => {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const store = sqlite.New({ File });
  await store.Migrate();
  const database = new DatabaseSync(File);
  database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
  const packed: number[] = [];
  const pack = (order: number) => void packed.push(order);
  const queue = jobs.New(store).Handle(pack);
  let refused = 0;
  await Promise.all(Array.from({ length: 1_000 }, (_, i) =>
    sqlite.Transaction(database, async () => {
      database.prepare("INSERT INTO orders VALUES (?)").run(i);
      await queue.In(database).Add(pack, i);
      if (i % 2 === 1) throw new Error("Refused");
    }).catch((error) => refused += error.message === "Refused" ? 1 : 0)));
  await queue.Drain();
  const orders = database.prepare("SELECT id FROM orders ORDER BY id").all().map(({ id }) => id as number);
  assertEquals([refused, orders.length, orders], [500, 500, packed.sort((a, b) => a - b)]);
  database.close();
  await store.Close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Queue.Run() registers schedules with Deno.cron if it exists, and stops nevertheless", async () => {
  const run = async (...flags: string[]) => {
    const script = fromFileUrl(new URL("./processes/cron.ts", import.meta.url));
    const args = ["run", "-A", "--no-check", ...flags, script];
    const { stdout, success } = await new Deno.Command(Deno.execPath(), { args, stderr: "null" }).output();
    return [success, JSON.parse(new TextDecoder().decode(stdout))];
  };
  assertEquals(await run(), [true, []]);
  assertEquals(await run("--unstable-cron"), [true, [
    "default a-b: 5 7 * * *",
    "default berlin: */15 * * * *",
    "default seconds: * * * * *",
  ]]);
});

Deno.test("Store.Migrate() refuses tables of a newer version, and other calls need the tables", async () => {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const code = (run: () => unknown) =>
    Promise.try(run).then(() => "", (error) => [error.Code, error.message].join(" "));
  const store = sqlite.New({ File });
  assertEquals(
    await code(() => store.Stats(0)),
    "FW_JOB Cannot use the tables of the jobs: they do not exist or are outdated; call Migrate first",
  );
  await store.Migrate();
  const database = new DatabaseSync(File);
  database.exec("UPDATE fw_job_version SET version = 99");
  database.close();
  const message =
    "FW_JOB Cannot use the tables of the jobs: their version 99 is newer than version 3 of this process; " +
    "update fw";
  assertEquals(await code(() => store.Migrate()), message);
  const next = sqlite.New({ File });
  assertEquals(await code(() => next.Stats(0)), message);
  await store.Close();
  await next.Close();
  await Deno.remove(folder, { recursive: true });
});
