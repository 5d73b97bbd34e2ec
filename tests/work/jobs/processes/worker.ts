/**
 * A process that runs jobs. It appends the key of each job to a file when the job starts, after a `+`, and when it ends.
 * It exits on SIGTERM.
 *
 * Arguments: the database, the file, the concurrency, and the longest duration of a job in milliseconds.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";

const [File = "", runs = "", concurrency = "10", duration = "10"] = Deno.args;
const store = sqlite.New({ File });
const log = await Deno.open(runs, { append: true, create: true });

function note(text: string): void {
  log.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function work(name: string): Promise<void> {
  note(`+${name}`);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(duration)));
  note(name);
}

await jobs.New(store, { Concurrency: Number(concurrency), Lease: 3_000 }).Handle(work).Run();
await store.Close();
