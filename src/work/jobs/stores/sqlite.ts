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

import { func, methods } from "../../../base/config/option_kinds.ts";
import { checkArgument } from "../../../base/config/option_table.ts";
import { FileQueue } from "../../../state/store/file_queue.ts";
import { openDatabase, type Options } from "../../../state/store/sqlite_file.ts";
import { Table } from "../../../state/store/sqlite_table.ts";
import { statements } from "./sqlite_statements.ts";
import { SQLiteStore } from "./sqlite_store.ts";
import { type Connection, patience, transact } from "./sqlite_transaction.ts";
import type { Store } from "../store.ts";

export type { Connection } from "./sqlite_transaction.ts";

/**
 * Opens a job store in a SQLite file. The file can contain tables of the application. Call `Migrate` of the store
 * before jobs are added or run.
 *
 * @param config The options; see `Options` of `@fw/web/store/sqlite`.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): Store {
  const database = openDatabase(config, { schema: "", noun: "job file", code: "FW_JOB" });
  return new SQLiteStore(database, new Table(database, statements, patience));
}

/** The transactions that wait for a database, so that two of them never mix. */
const queues = new WeakMap<Connection, { last: Promise<unknown>; readonly file: FileQueue }>();

/**
 * Runs a function in a transaction on a connection of the application, and commits the transaction unless the function
 * throws. Waits without blocking while other processes or other transactions on the connection are writing.
 *
 * @param database The connection. While the function waits for something, other code must not use the connection.
 * @param work The function.
 * @returns The return value of the function.
 */
export function Transaction<T>(database: Connection, work: () => T | Promise<T>): Promise<T> {
  checkArgument(database, methods<Connection>("exec"), "database", "sqlite.Transaction");
  checkArgument(work, func(), "work", "sqlite.Transaction");
  const queue = queues.getOrInsertComputed(database, () => ({
    last: Promise.resolve(),
    file: new FileQueue(patience),
  }));
  const running = queue.last.then(() => transact(database, queue.file, work));
  queue.last = running.catch(() => {});
  return running;
}
