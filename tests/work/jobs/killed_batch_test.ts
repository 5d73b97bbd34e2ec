import { assert, assertEquals } from "@std/assert";
import * as jobs from "@fw/web/jobs";
import * as postgres from "@fw/web/jobs/postgres";
import * as sqlite from "@fw/web/jobs/sqlite";
import { fromFileUrl } from "@std/path";
import connect from "npm:postgres@^3";
import { postgresIsMissing, startPostgres } from "../../recipes/postgres_server.ts";
import { testUnless } from "../../skipped.ts";

const count = 4_000;

/** Starts a process that adds a batch, and kills it after a while. Reports whether it had added everything. */
async function kill(place: string, after: number): Promise<boolean> {
  const script = fromFileUrl(new URL("./processes/batch.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", script, place, `${count}`];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = (await reader.read()).value ?? "";
  assertEquals(said.startsWith("adding"), true, said);
  await new Promise((resolve) => setTimeout(resolve, after));
  child.kill("SIGKILL");
  for (let part = await reader.read(); !part.done; part = await reader.read()) said += part.value;
  await child.status;
  return said.includes("added");
}

/** Kills processes at several times. Each of them has added the whole batch or nothing. */
async function killSeveral(queue: jobs.Queue, place: string): Promise<void> {
  let before = 0;
  let interrupted = 0;
  for (const after of [0, 10, 30, 60, 100, 150, 250, 400]) {
    const isAdded = await kill(place, after);
    const { Waiting } = await queue.Stats();
    const added = Waiting - before;
    // PostgreSQL may end a statement after its client was killed.
    assert(added % (count + 1) === 0 && (added > 0 || !isAdded), `${added} jobs remain after ${after} ms`);
    if (added === 0) interrupted++;
    before = Waiting;
  }
  assert(interrupted > 0, "no process was killed in time");
}

Deno.test("Queue.AddBatch() of a process that is killed leaves the whole batch or nothing, in SQLite", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_batch_" });
  const store = sqlite.New({ File: `${folder}/jobs.db` });
  try {
    await store.Migrate();
    await killSeveral(jobs.New(store), `${folder}/jobs.db`);
  } finally {
    await store.Close();
    await Deno.remove(folder, { recursive: true });
  }
});

testUnless(
  postgresIsMissing,
  "Queue.AddBatch() of a process that is killed leaves the whole batch or nothing, in PostgreSQL",
  async () => {
    await using server = await startPostgres();
    const sql = connect(server.url, { onnotice() {} });
    const store = postgres.New(sql);
    await store.Migrate();
    await killSeveral(jobs.New(store), server.url);
    await sql.end();
  },
);

Deno.test("Queue.AddBatch() does not block the process while it adds many jobs", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_batch_" });
  const store = sqlite.New({ File: `${folder}/jobs.db` });
  function resize(_n: number): void {}
  function publish(): void {}
  try {
    await store.Migrate();
    let turns = 0;
    const timer = setInterval(() => turns++);
    const adding = jobs.New(store).AddBatch(resize, Array.from({ length: 5_000 }, (_, i) => i), publish, undefined);
    const { Jobs } = await adding;
    clearInterval(timer);
    assertEquals([Jobs.length, new Set(Jobs.map(({ ID }) => ID)).size], [5_000, 5_000]);
    assert(turns >= 5, `${turns} turns`);
  } finally {
    await store.Close();
    await Deno.remove(folder, { recursive: true });
  }
});
