/**
 * Measures jobs in SQLite next to a bare loop of claims on the same kind of file: jobs per second, the latency of an
 * idle queue, and memory.
 *
 * Run it with `deno task bench jobs [COUNT]`.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import { newID } from "../../src/work/jobs/job.ts";

const count = Number(Deno.args[0] ?? 100_000);
const rounds = 3;

/** Runs a function with an empty folder. */
async function inFolder<T>(run: (file: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await run(`${folder}/jobs.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Claims one row after another and deletes it, as the shortest possible queue does. Returns jobs per second. */
function bareLoop(file: string): Promise<number> {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE jobs (id INTEGER PRIMARY KEY, data TEXT NOT NULL, due INTEGER NOT NULL)");
  database.exec("CREATE INDEX jobs_due ON jobs (due, id); BEGIN");
  const insert = database.prepare("INSERT INTO jobs (data, due) VALUES (?, 0)");
  for (let i = 0; i < count; i++) insert.run(JSON.stringify({ i }));
  database.exec("COMMIT");
  const claim = database.prepare(
    "UPDATE jobs SET due = ? WHERE id = (SELECT id FROM jobs WHERE due <= ? ORDER BY due, id LIMIT 1) RETURNING id, data",
  );
  const remove = database.prepare("DELETE FROM jobs WHERE id = ?");
  let done = 0;
  const begun = performance.now();
  for (;;) {
    const now = Date.now();
    const row = claim.get(now + 30_000, now);
    if (row === undefined) break;
    done += JSON.parse(row["data"] as string).i >= 0 ? 1 : 0;
    remove.run(row["id"] as number);
  }
  const speed = done / (performance.now() - begun) * 1000;
  database.close();
  return Promise.resolve(speed);
}

/** Runs all jobs of a queue. Returns jobs per second and the growth of memory in MiB. */
async function queueRun(file: string, KeepDone: number): Promise<{ speed: number; memory: number }> {
  const store = sqlite.New({ File: file });
  await store.Migrate();
  const { promise, resolve } = Promise.withResolvers<void>();
  let done = 0;
  function work({ i }: { i: number }): void {
    done += i >= 0 ? 1 : 0;
    if (done === count) resolve();
  }
  const queue = jobs.New(store, { KeepDone }).Handle(work);
  const template = { Queue: "default", Name: "work", Due: 0, Priority: 0, MaxAttempts: 10 };
  const rest = { Key: null, KeyUntil: null, Group: null, Trace: null };
  for (let i = 0; i < count; i += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, count - i) }, (_, j) => i + j);
    await store.Add(
      batch.map((n) => ({ ID: newID(), Data: `{"i":${n}}`, ...template, ...rest })),
      Date.now(),
    );
  }
  const before = Deno.memoryUsage().rss;
  const begun = performance.now();
  const ended = queue.Run();
  await promise;
  const speed = count / (performance.now() - begun) * 1000;
  const memory = (Deno.memoryUsage().rss - before) / 2 ** 20;
  await queue.Shutdown();
  await ended;
  await store.Close();
  return { speed, memory };
}

/** Returns the median time from adding a job to an idle queue until it starts, in milliseconds. */
async function latency(file: string, isOtherStore: boolean): Promise<number> {
  const store = sqlite.New({ File: file });
  await store.Migrate();
  const adding = isOtherStore ? sqlite.New({ File: file }) : store;
  let started: (time: number) => void = () => {};
  const work = () => started(performance.now());
  const queue = jobs.New(store).Handle(work);
  const adder = jobs.New(adding);
  const ended = queue.Run();
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
    const { promise, resolve } = Promise.withResolvers<number>();
    started = resolve;
    const begun = performance.now();
    await adder.Add(work);
    times.push(await promise - begun);
  }
  await queue.Shutdown();
  await ended;
  if (isOtherStore) await adding.Close();
  await store.Close();
  return times.sort((a, b) => a - b)[times.length >> 1] as number;
}

function best(values: readonly number[]): number {
  return Math.round(Math.max(...values));
}

const bare: number[] = [];
const deleted: { speed: number; memory: number }[] = [];
const kept: { speed: number; memory: number }[] = [];
for (let round = 0; round < rounds; round++) {
  bare.push(await inFolder(bareLoop));
  deleted.push(await inFolder((file) => queueRun(file, 0)));
  kept.push(await inFolder((file) => queueRun(file, 3_600_000)));
}
// deno-lint-ignore no-console
console.table({
  "bare loop": { "jobs/s": best(bare) },
  "queue, done jobs deleted": {
    "jobs/s": best(deleted.map(({ speed }) => speed)),
    "memory, MiB": best(deleted.map(({ memory }) => memory)),
  },
  "queue, done jobs kept": {
    "jobs/s": best(kept.map(({ speed }) => speed)),
    "memory, MiB": best(kept.map(({ memory }) => memory)),
  },
  "idle queue, same store": { "latency, ms": Number((await inFolder((file) => latency(file, false))).toFixed(2)) },
  "idle queue, another process": { "latency, ms": Number((await inFolder((file) => latency(file, true))).toFixed(2)) },
});
