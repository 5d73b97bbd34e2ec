/**
 * Opening the file of the SQLite store.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { FrameworkError } from "../base/errors.ts";

// AUTOINCREMENT: without it SQLite gives a destroyed session's number to the next one, and a request that still holds
// the number would write into a stranger's session.
const schema = `
  CREATE TABLE IF NOT EXISTS fw_session (
    session INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    expires INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS fw_session_expires ON fw_session (expires);
  CREATE TABLE IF NOT EXISTS fw_slot (
    session INTEGER NOT NULL REFERENCES fw_session (session) ON DELETE CASCADE,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, name)
  ) STRICT, WITHOUT ROWID;`;

/** Opens the file and makes the tables. */
export function openDatabase(file: string, syncToDisk: boolean): DatabaseSync {
  try {
    if (file !== ":memory:") makePrivately(file);
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 1000 });
    prepare(database, syncToDisk);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FrameworkError("FW_SESSION", `Cannot open the session file "${file}": ${reason}`, { cause: error });
  }
}

/** Says whether the failure is only that another process is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(locked|busy)\b/.test(error.message);
}

// Whoever reads the file can take over every session in it.
function makePrivately(file: string): void {
  Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
}

function prepare(database: DatabaseSync, syncToDisk: boolean): void {
  switchToLog(database);
  database.exec(`PRAGMA synchronous = ${syncToDisk ? "FULL" : "NORMAL"}`);
  database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
  // Longer than any write takes, and short enough not to stop this process's other requests.
  database.exec("PRAGMA busy_timeout = 10");
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
