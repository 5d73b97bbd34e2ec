/**
 * A job store in process memory, for tests and development.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { migrationFrom } from "./sqlite_schema.ts";
import { SQLiteStore } from "./sqlite_store.ts";
import type { Store } from "../store.ts";

/**
 * Creates a job store in process memory. It needs no permissions, and `Migrate` need not be called.
 *
 * @returns The store.
 */
// A SQLite database in memory behaves like one in a file, which matters more in tests than speed.
export function NewMemory(): Store {
  const database = new DatabaseSync(":memory:");
  database.exec(migrationFrom(0));
  return new SQLiteStore(database);
}
