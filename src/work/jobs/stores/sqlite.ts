/**
 * A job store in a SQLite file. Jobs survive restarts and are shared by all processes on a machine.
 *
 * @example Add a job in the transaction of an order
 * ```ts
 * import * as jobs from "@fw/web/jobs";
 * import * as sqlite from "@fw/web/jobs/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const folder = await Deno.makeTempDir();
 * const store = sqlite.New({ File: `${folder}/tea.db` });
 * await store.Migrate();
 * const database = new DatabaseSync(`${folder}/tea.db`);
 * database.exec("CREATE TABLE orders (tea TEXT)");
 *
 * const packed: string[] = [];
 * function pack(tea: string) {
 *   packed.push(tea);
 * }
 * const queue = jobs.New(store).Handle(pack);
 * await sqlite.Transaction(database, async () => {
 *   database.prepare("INSERT INTO orders VALUES (?)").run("Assam");
 *   await queue.In(database).Add(pack, "Assam");
 * });
 * await queue.Drain();
 * packed; // → ["Assam"]
 *
 * database.close();
 * await store.Close();
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * @module
 */

import { openDatabase, type Options } from "../../../state/store/sqlite_file.ts";
import { SQLiteStore } from "./sqlite_store.ts";
import type { Store } from "../store.ts";

export { type Connection, Transaction } from "../../../state/store/sqlite_transaction.ts";

/**
 * Opens a job store in a SQLite file. The file can contain tables of the application. Call `Migrate` of the store
 * before jobs are added or run.
 *
 * @param config The options; see `Options` of `@fw/web/store/sqlite`.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): Store {
  return new SQLiteStore(openDatabase(config, { schema: "", noun: "job file", code: "FW_JOB" }));
}
