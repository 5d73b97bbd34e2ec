/**
 * Transactions on a SQLite file. Those of the application may last longer than one turn of the event loop.
 *
 * @module
 */

import { func, methods } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { FileQueue } from "./file_queue.ts";
import type { Awaitable } from "./store.ts";

/** The time limit for waiting for other processes, in milliseconds. Other work of the process continues meanwhile. */
export const patience = 60_000;

/** A connection of the application, such as a `DatabaseSync` from `node:sqlite`. */
export interface Connection {
  /** Reports whether a transaction is open. */
  readonly isTransaction: boolean;
  /** Runs SQL statements. */
  exec(sql: string): void;
}

/** The last transaction of each connection. The next one waits for it, so that two of them never mix. */
const last = new WeakMap<Connection, Promise<unknown>>();

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
  const running = Promise.resolve(last.get(database)).then(() => transact(database, work));
  last.set(database, running.catch(() => {}));
  return running;
}

async function transact<T>(database: Connection, work: () => Awaitable<T>): Promise<T> {
  // A transaction that only takes the lock with its first write may have to be repeated.
  await new FileQueue(patience).atOnce(() => database.exec("BEGIN IMMEDIATE"));
  const [outcome] = await Promise.allSettled([Promise.try(work)]);
  return committed(database, () => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/**
 * Commits a transaction that has begun after a function has returned, or rolls the transaction back if the function
 * throws.
 *
 * @param database The connection.
 * @param work The function.
 * @returns The return value of the function.
 */
export function committed<T>(database: Connection, work: () => T): T {
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
