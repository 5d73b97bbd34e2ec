import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import connect from "npm:postgres@^3";
import type { Store } from "../../../src/work/jobs/store.ts";
import * as postgres from "../../../src/work/jobs/stores/postgres.ts";
import { postgresIsMissing, type PostgresServer, startPostgres } from "../../recipes/postgres_server.ts";
import { ignoredFor } from "../../state/sessions/redis_server.ts";
import { newJob } from "./stores/store_contract.ts";
import { concurrency, record } from "./postgres_worker.ts";

const count = 10_000;
const processes = 3;
/** The maximum number of kills, because a busy machine does little else than starting processes. */
const mostKills = Deno.env.has("FW_FIGURES") ? Infinity : 10;

Deno.test({
  name: `Queue.Run() loses no job in PostgreSQL if processes are killed${ignoredFor(postgresIsMissing)}`,
  ignore: postgresIsMissing !== undefined,
  async fn() {
    const { lost, duplicates, kills } = await runWithCrashes();
    assertEquals(lost, 0);
    assert(kills > 0);
    assert(duplicates <= kills * concurrency, `${duplicates} duplicates after ${kills} kills`);
  },
});

Deno.test({
  name: `Queue.Run() loses no job if PostgreSQL crashes as well${ignoredFor(postgresIsMissing)}`,
  ignore: postgresIsMissing !== undefined,
  async fn() {
    const { lost, duplicates, kills } = await runWithCrashes((server) => server.restart());
    assertEquals(lost, 0);
    // A run whose connection is lost may have been recorded.
    assert(duplicates <= (kills + processes) * concurrency, `${duplicates} duplicates after ${kills} kills`);
  },
});

/** Runs jobs in three processes and kills one of them every two seconds. Calls a function after the first kill. */
async function runWithCrashes(disturb?: (server: PostgresServer) => Promise<void>) {
  await using server = await startPostgres();
  const sql = connect(server.url, { onnotice() {} });
  await sql`CREATE TABLE runs (n integer)`;
  const store = postgres.New(sql);
  await store.Migrate();
  const now = Date.now();
  // Leases also expire on a busy machine, and a job must not fail because of that.
  const job = { Name: record.name, Due: now, MaxAttempts: 1_000 };
  const jobs = Array.from({ length: count }, (_, n) => newJob({ ...job, Data: `${n}` }));
  for (let i = 0; i < count; i += 1000) await store.Add(jobs.slice(i, i + 1000), now);

  const workers = Array.from({ length: processes }, (_, i) => startWorker(server.url, i));
  let kills = 0;
  try {
    while (await hasWork(store)) {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      if (kills >= mostKills) continue;
      const index = kills++ % processes;
      await kill(workers[index] as Deno.ChildProcess);
      workers[index] = startWorker(server.url, kills);
      if (kills === 1) await disturb?.(server);
    }
  } finally {
    await Promise.all(workers.map(kill));
  }
  const [runs] = await sql<{ all: number; different: number }[]>`
    SELECT count(*)::integer AS all, count(DISTINCT n)::integer AS different FROM runs`;
  await sql.end();
  const { all = 0, different = 0 } = runs ?? {};
  // deno-lint-ignore no-console
  if (Deno.env.has("FW_FIGURES")) console.log({ runs: all, different, duplicates: all - different, kills });
  return { lost: count - different, duplicates: all - different, kills };
}

/** Reports whether jobs are left to run. A job that has failed for good is lost. */
async function hasWork(store: Store): Promise<boolean> {
  return (await store.Stats(Date.now())).some(({ Waiting, Running }) => Waiting + Running > 0);
}

function startWorker(url: string, index: number): Deno.ChildProcess {
  const program = fromFileUrl(new URL("./postgres_worker.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", "--no-lock", program, url, index % 2 === 0 ? "pg" : "postgres.js"];
  return new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
}

async function kill(worker: Deno.ChildProcess): Promise<void> {
  try {
    worker.kill("SIGKILL");
  } catch {
    // It has ended.
  }
  await worker.status;
}
