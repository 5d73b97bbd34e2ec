/**
 * Eight processes write to one SQLite file, add jobs and run them. No error may reach the application.
 *
 * Run it with `deno run -A tests/work/jobs/processes/writers.ts`, which takes five minutes.
 *
 * @module
 */

import * as sqlite from "@fw/web/jobs/sqlite";
import { fromFileUrl } from "@std/path";
import { DatabaseSync } from "node:sqlite";

/** The outcome of a run. */
export interface Outcome {
  readonly commits: number;
  readonly added: number;
  /** The number of jobs that have run, and of those that wait. */
  readonly ran: number;
  readonly waiting: number;
  readonly orders: number;
  readonly errors: readonly string[];
}

/** Lets several processes write for some time. */
export async function writeTogether(processes: number, milliseconds: number): Promise<Outcome> {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const store = sqlite.New({ File });
  await store.Migrate();
  const database = new DatabaseSync(File);
  database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT)");
  const script = fromFileUrl(new URL("./writer.ts", import.meta.url));
  const outputs = await Promise.all(Array.from({ length: processes }, () =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, File, `${milliseconds}`],
      stderr: "inherit",
    }).output()));
  const all = outputs.map(({ stdout }) => JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? ""));
  const sum = (name: string) => all.reduce((total, each) => total + each[name], 0);
  const [stats] = await store.Stats(Date.now());
  const orders = Number(database.prepare("SELECT count(*) AS n FROM orders").get()?.["n"]);
  database.close();
  await store.Close();
  await Deno.remove(folder, { recursive: true });
  return {
    commits: sum("commits"),
    added: sum("commits") + sum("direct"),
    ran: sum("runs"),
    waiting: stats?.Waiting ?? 0,
    orders,
    errors: all.flatMap(({ errors }) => errors),
  };
}

if (import.meta.main) {
  // deno-lint-ignore no-console
  console.log(await writeTogether(8, 300_000));
}
