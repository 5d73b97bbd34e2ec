/**
 * Runs jobs in three processes of which one is killed regularly, and counts the jobs that were lost or have run twice.
 *
 * Run it with `deno run -A tests/work/jobs/processes/kills.ts`.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import { fromFileUrl } from "@std/path";

/** The size of a run. */
export interface Options {
  readonly count: number;
  /** The time between two kills, in milliseconds. */
  readonly killEvery: number;
  readonly concurrency: number;
  /** The longest duration of a job, in milliseconds. */
  readonly duration: number;
}

/** The outcome of a run. */
export interface Outcome {
  readonly kills: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly seconds: number;
}

/** Runs all jobs and counts. */
export async function runWithKills({ count, killEvery, concurrency, duration }: Options): Promise<Outcome> {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const store = sqlite.New({ File });
  await store.Migrate();
  const queue = jobs.New(store);
  const work = (_name: string) => {};
  const begun = performance.now();
  for (let i = 0; i < count; i++) await queue.Add(work, `${i}`);
  const start = (n: number) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        fromFileUrl(new URL("./worker.ts", import.meta.url)),
        File,
        `${folder}/runs-${n}`,
        `${concurrency}`,
        `${duration}`,
      ],
    }).spawn();
  const workers = [start(0), start(1), start(2)];
  let kills = 0;
  const killer = setInterval(() => {
    const victim = workers.shift();
    victim?.kill("SIGKILL");
    workers.push(start(3 + kills++));
  }, killEvery);
  try {
    for (;;) {
      const { Done } = await queue.Stats();
      if (Done === count) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    clearInterval(killer);
    for (const worker of workers) worker.kill("SIGTERM");
    await Promise.all(workers.map(({ status }) => status));
  }
  const runs: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.startsWith("runs")) runs.push(...Deno.readTextFileSync(`${folder}/${name}`).trim().split("\n"));
  }
  await store.Close();
  await Deno.remove(folder, { recursive: true });
  const distinct = new Set(runs.filter((run) => run !== "")).size;
  const seconds = Math.round((performance.now() - begun) / 1000);
  return { kills, lost: count - distinct, duplicates: runs.filter((run) => run !== "").length - distinct, seconds };
}

if (import.meta.main) {
  const options = { count: 10_000, killEvery: 2_000, concurrency: 10, duration: 100 };
  const outcome = await runWithKills(options);
  // deno-lint-ignore no-console
  console.log({ ...outcome, allowed: outcome.kills * options.concurrency });
}
