/**
 * The SQLite file of a store.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { flag, required, text, where } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type ErrorCode, FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/** Options for a store in a SQLite file. Sessions and shared state can use the same file. */
export interface Options {
  /** The path of the file. If the file does not exist, it is created with access for its owner only. */
  File: string;
  /**
   * Whether every write is flushed to disk before the request continues. If `false`, no data is lost if the process
   * crashes, but the most recent writes may be lost in a power failure.
   *
   * @default {false}
   */
  SyncToDisk?: boolean;
}

/** The contents of a store's file. */
export interface StoreFile {
  /** The SQL that creates missing tables. If it is empty, the file is opened without a lock, and is not changed. */
  readonly schema: string;
  /** The name of the file in messages, such as `session file`. */
  readonly noun: string;
  /** The error code to use if the file cannot be opened. */
  readonly code: ErrorCode;
}

const table = optionTable<Options>("store/sqlite.Options", "a SQLite file")({
  File: required(where(text(), "a file path", (file) => file !== "" && !file.includes("\0"))),
  SyncToDisk: flag(false),
});

/** Opens the file and creates its tables. */
export function openDatabase(config: Options, { schema, noun, code }: StoreFile): DatabaseSync {
  const { File, SyncToDisk } = readOptions(table, config, `the ${noun}`);
  try {
    if (File !== ":memory:") makePrivately(File);
    return prepared(File, schema, SyncToDisk ? "FULL" : "NORMAL");
  } catch (error) {
    const act = `open the ${noun} "${File}"`;
    throw new FrameworkError(code, `Cannot ${act}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reports whether an error was caused by another process that is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(locked|busy)\b/.test(error.message);
}

// Anyone who can read the file could take over every session in it, and anyone who can write to it could unblock
// tokens.
function makePrivately(file: string): void {
  Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
}

function prepared(file: string, schema: string, synchronous: "FULL" | "NORMAL"): DatabaseSync {
  const timeout = schema === "" ? 0 : 1000;
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout });
  try {
    if (schema === "") return setUnlessBusy(database, `PRAGMA synchronous = ${synchronous}`);
    switchToLog(database);
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
    // Requests are served from here on, and SQLite's own busy timeout would block all of them. The table waits instead.
    database.exec("PRAGMA busy_timeout = 0");
    return database;
  } catch (error) {
    // Otherwise, an application that tries again would run out of file descriptors, and Windows would lock the file.
    database.close();
    throw error;
  }
}

/** Changes a setting whose default is safe. Before the file has a log, a writer may lock it for readers. */
function setUnlessBusy(database: DatabaseSync, sql: string): DatabaseSync {
  try {
    database.exec(sql);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return database;
}

// SQLite does not apply its timeout to this change, so if two processes start at the same time, one of them would fail.
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
