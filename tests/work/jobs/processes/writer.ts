/**
 * A process that writes to a SQLite file in transactions and adds jobs in some of them. It prints the number of commits,
 * and the messages of all errors.
 *
 * Arguments: the database, and the time in milliseconds.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import { DatabaseSync } from "node:sqlite";

const [File = "", time = "1000"] = Deno.args;
const store = sqlite.New({ File });
const database = new DatabaseSync(File);
let runs = 0;

function pack(_order: number): void {
  runs++;
}

const queue = jobs.New(store, { KeepDone: 0 }).Handle(pack);
const errors: string[] = [];
let commits = 0;
let direct = 0;

const running = queue.Run().catch((error) => errors.push(String(error)));
const end = performance.now() + Number(time);
while (performance.now() < end) {
  try {
    await sqlite.Transaction(database, async () => {
      const { lastInsertRowid } = database.prepare("INSERT INTO orders DEFAULT VALUES").run();
      await queue.In(database).Add(pack, Number(lastInsertRowid));
    });
    commits++;
    await queue.Add(pack, -1);
    direct++;
  } catch (error) {
    errors.push(String(error));
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
}
await queue.Shutdown();
await running;
database.close();
await store.Close();
// deno-lint-ignore no-console
console.log(JSON.stringify({ commits, direct, runs, errors }));
