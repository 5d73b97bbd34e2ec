/**
 * Opening the SQLite file of a store.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { type ErrorCode, FrameworkError } from "../base/errors.ts";
import { messageOf } from "../base/to_error.ts";

/** Which file a store keeps its rows in. */
export interface StoreFile {
  readonly path: string;
  /** True to have every write on the disk before it counts as done. */
  readonly syncToDisk: boolean;
  /** Creates the tables that do not exist yet. */
  readonly schema: string;
  /** What the file is, for messages: `session file`. */
  readonly noun: string;
  /** The code of the error that says why it cannot be opened. */
  readonly code: ErrorCode;
}

/** Opens the file and creates its tables. */
export function openDatabase(file: StoreFile): DatabaseSync {
  try {
    if (file.path !== ":memory:") makePrivately(file.path);
    const database = new DatabaseSync(file.path, { enableForeignKeyConstraints: true, timeout: 1000 });
    prepare(database, file);
    return database;
  } catch (error) {
    const act = `open the ${file.noun} "${file.path}"`;
    throw new FrameworkError(file.code, `Cannot ${act}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reports whether the failure is only that another process is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(locked|busy)\b/.test(error.message);
}

// A reader of the file can take over every session in it, or undo every block.
function makePrivately(file: string): void {
  Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
}

function prepare(database: DatabaseSync, file: StoreFile): void {
  switchToLog(database);
  database.exec(`PRAGMA synchronous = ${file.syncToDisk ? "FULL" : "NORMAL"}`);
  database.exec(`BEGIN IMMEDIATE; ${file.schema} COMMIT;`);
  // From here on requests are served: SQLite's own wait would stop all of them. The table waits instead.
  database.exec("PRAGMA busy_timeout = 0");
}

// SQLite does not wait its timeout for this one switch, and of two processes that start together one is refused.
function switchToLog(database: DatabaseSync): void {
  for (let attempt = 0;; attempt++) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
