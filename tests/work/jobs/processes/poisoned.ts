/**
 * A process that runs jobs of which one kills it. It appends the name of each job that has ended to a file.
 *
 * Arguments: the database, the file, and the lease in milliseconds.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";

const [File = "", runs = "", lease = "1000"] = Deno.args;
const store = sqlite.New({ File });

async function work(name: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  if (name === "poison") Deno.kill(Deno.pid, "SIGKILL");
  Deno.writeTextFileSync(runs, `${name}\n`, { append: true });
}

await jobs.New(store, { Lease: Number(lease), PollEvery: 50, MaxAttempts: 3 }).Handle(work).Run();
await store.Close();
