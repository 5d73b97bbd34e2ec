/**
 * Opening the SQLite file of a store.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { type ErrorCode, FrameworkError } from "../base/errors.ts";
import { messageOf } from "../base/to_error.ts";

/** Which file a store keeps its rows in; sessions and shared state may lie in the same one. */
export interface Config {
  /** The file; it is created, readable by its owner alone, when it does not exist. */
  File: string;
  /**
   * True to have every write on the disk, and not only with the operating system, before its request goes on. Left out,
   * a crash of the process loses nothing and a power cut may lose the last moments.
   */
  SyncToDisk?: boolean;
}

/** What a store puts into its file. */
export interface StoreFile {
  /** Creates the tables that do not exist yet. */
  readonly schema: string;
  /** What the file is, for messages: `session file`. */
  readonly noun: string;
  /** The code of the error that says why it cannot be opened. */
  readonly code: ErrorCode;
}

/** Opens the file and creates its tables. */
export function openDatabase({ File, SyncToDisk = false }: Config, { schema, noun, code }: StoreFile): DatabaseSync {
  if (typeof File !== "string" || File === "" || File.includes("\0")) {
    throw new FrameworkError("FW_CONFIG", `Cannot open the ${noun}: "File" must be the name of a file`);
  }
  try {
    if (File !== ":memory:") makePrivately(File);
    const database = new DatabaseSync(File, { enableForeignKeyConstraints: true, timeout: 1000 });
    prepare(database, schema, SyncToDisk ? "FULL" : "NORMAL");
    return database;
  } catch (error) {
    const act = `open the ${noun} "${File}"`;
    throw new FrameworkError(code, `Cannot ${act}: ${messageOf(error)}`, { cause: error });
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

function prepare(database: DatabaseSync, schema: string, synchronous: "FULL" | "NORMAL"): void {
  switchToLog(database);
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
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
