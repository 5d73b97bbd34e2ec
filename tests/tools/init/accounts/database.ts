import { DatabaseSync } from "node:sqlite";

/** The migrations, in order. Do not change one that has been deployed: add another. */
const migrations: readonly string[] = [
  `CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mail TEXT NOT NULL UNIQUE COLLATE NOCASE,
    hash TEXT NOT NULL,
    totp TEXT,
    step INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL DEFAULT (unixepoch())
  ) STRICT;
  CREATE TABLE recovery (
    account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    PRIMARY KEY (account, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE passkey (
    id TEXT PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    public_key BLOB NOT NULL,
    counter INTEGER NOT NULL,
    created INTEGER NOT NULL DEFAULT (unixepoch())
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE attempt (
    key TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,
];

/** Opens the database and applies the migrations that it lacks. */
export function openDatabase(file: string): DatabaseSync {
  // Only the user of this process may read the hashes. The other files of the database get the same mode.
  if (file !== ":memory:") Deno.openSync(file, { create: true, append: true, mode: 0o600 }).close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  database.exec("BEGIN IMMEDIATE");
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  for (const sql of migrations.slice(version)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  return database;
}
