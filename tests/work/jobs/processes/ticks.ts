/**
 * Runs an hourly schedule in three processes over a change of summer time, with a clock that is shifted and runs faster.
 *
 * Run it with `deno run -A tests/work/jobs/processes/ticks.ts`.
 *
 * @module
 */

import * as sqlite from "@fw/web/jobs/sqlite";
import { fromFileUrl } from "@std/path";

const hour = 3_600_000;

/**
 * Runs the schedule.
 *
 * @param first The first time of the clock.
 * @param count The number of hours.
 * @param milliseconds The real time that an hour takes.
 * @returns The times at which the job has run, in order.
 */
export async function runTicks(first: number, count: number, milliseconds: number): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const store = sqlite.New({ File });
  await store.Migrate();
  // A process that starts late still sees all ticks.
  const schedule = { Name: "hourly", Cron: "0 * * * *", TimeZone: "Europe/Berlin", Job: "hourly", Data: "null" };
  await store.Schedule({ Queue: "default", ...schedule }, first);
  const begin = Date.now() + 3_000;
  const script = fromFileUrl(new URL("./ticker.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", script, File];
  const clock = [`${first}`, `${begin}`, `${hour / milliseconds}`];
  const workers = [0, 1, 2].map((n) =>
    new Deno.Command(Deno.execPath(), { args: [...args, `${folder}/runs-${n}`, ...clock] }).spawn()
  );
  const expected = expectedTicks(first, count);
  let done = 0;
  while (Date.now() < begin + count * milliseconds || done < expected.length) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    done = (await store.Stats(0))[0]?.Done ?? 0;
  }
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ status }) => status));
  await store.Close();
  const runs: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.startsWith("runs")) runs.push(...Deno.readTextFileSync(`${folder}/${name}`).trim().split("\n"));
  }
  await Deno.remove(folder, { recursive: true });
  // The clock does not stop after the last tick.
  return runs.filter((time) => time <= (expected.at(-1) ?? "")).sort();
}

/**
 * Returns the hours after a time. The second of two hours with the same local time is left out.
 *
 * @param first The time.
 * @param count The number of hours.
 */
export function expectedTicks(first: number, count: number): string[] {
  const hours = Array.from({ length: count }, (_, i) => new Date(first + (i + 1) * hour).toISOString());
  return hours.filter((time) => time !== "2026-10-25T01:00:00.000Z");
}

if (import.meta.main) {
  for (const start of ["2026-03-27T00:00:00Z", "2026-10-23T00:00:00Z"]) {
    const first = Date.parse(start);
    const [runs, expected] = [await runTicks(first, 101, 200), expectedTicks(first, 101)];
    const missing = expected.filter((time) => !runs.includes(time)).length;
    // deno-lint-ignore no-console
    console.log({ start, ticks: expected.length, runs: runs.length, distinct: new Set(runs).size, missing });
  }
}
