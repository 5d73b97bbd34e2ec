/**
 * Runs jobs in three processes of which one is killed regularly, and counts the jobs that were lost or have run twice.
 *
 * Run it with `deno run -A tests/work/jobs/processes/kills.ts`, and the number of jobs if there should be fewer.
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
  /** The number of jobs that were running when their process was killed. */
  readonly running: number;
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
  const lines: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.startsWith("runs")) lines.push(...Deno.readTextFileSync(`${folder}/${name}`).split("\n"));
  }
  await store.Close();
  await Deno.remove(folder, { recursive: true });
  const runs = lines.filter((line) => line !== "" && !line.startsWith("+"));
  const starts = lines.filter((line) => line.startsWith("+"));
  const distinct = new Set(runs).size;
  const seconds = Math.round((performance.now() - begun) / 1000);
  const lost = count - distinct;
  return { kills, running: starts.length - runs.length, lost, duplicates: runs.length - distinct, seconds };
}

if (import.meta.main) {
  const [count = "10000"] = Deno.args;
  const outcome = await runWithKills({ count: Number(count), killEvery: 2_000, concurrency: 10, duration: 100 });
  // deno-lint-ignore no-console
  console.log({ ...outcome, duplicatesPerRunningJob: outcome.duplicates / outcome.running });
}
