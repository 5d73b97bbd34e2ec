/**
 * A store of API keys in a SQLite file.
 *
 * @example Store keys in a file
 * ```ts
 * import * as apikeys from "@fw/web/apikeys";
 * import * as sqlite from "@fw/web/apikeys/sqlite";
 *
 * const folder = await Deno.makeTempDir();
 * const store = sqlite.New({ File: `${folder}/app.db` });
 * const keys = apikeys.New({ Store: store });
 * await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
 * (await keys.List("ada")).map(({ Name, Scopes }) => [Name, Scopes]); // → [["CI", ["posts:read"]]]
 * store.Close();
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * @module
 */

import { openDatabase, type Options } from "../../state/store/sqlite_file.ts";
import { Table } from "../../state/store/sqlite_table.ts";
import type { Awaitable } from "../../state/store/store.ts";
import type { Store, StoredKey } from "./store.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS fw_api_keys (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,
    used INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS fw_api_keys_owner ON fw_api_keys (owner, created);`;

const columns = "id, owner, name, hash, scopes, created, expires, used";

const statements = {
  insert: `INSERT INTO fw_api_keys (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  find: `SELECT ${columns} FROM fw_api_keys WHERE id = ?`,
  list: `SELECT ${columns} FROM fw_api_keys WHERE owner = ? ORDER BY created, id`,
  touch: "UPDATE fw_api_keys SET used = ? WHERE id = ?",
  expire: "UPDATE fw_api_keys SET expires = min(coalesce(expires, ?1), ?1) WHERE id = ?2 AND owner = ?3",
  delete: "DELETE FROM fw_api_keys WHERE id = ? AND owner = ?",
} as const;

/**
 * Opens a store of API keys in a SQLite file. The table `fw_api_keys` is created if it does not exist.
 *
 * @param config The options; see `Options` of `@fw/web/store/sqlite`.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): ClosableStore {
  const database = openDatabase(config, { schema, noun: "file of API keys", code: "FW_STORE" });
  return new SQLiteStore(new Table(database, statements));
}

/** A store that holds a file open. */
export interface ClosableStore extends Store {
  /** Closes the file. */
  Close(): void;
}

class SQLiteStore implements ClosableStore {
  readonly #table: Table<keyof typeof statements>;

  constructor(table: Table<keyof typeof statements>) {
    this.#table = table;
  }

  Insert({ ID, Owner, Name, Hash, Scopes, Created, Expires, LastUsed }: StoredKey): Awaitable<void> {
    const times = [Created, Expires, LastUsed].map((time) => time === null ? null : time.getTime());
    return this.#table.transaction(() =>
      void this.#table.run("insert", ID, Owner, Name, Hash, Scopes.join(" "), ...times)
    );
  }

  Find(id: string): Awaitable<StoredKey | null> {
    return this.#table.reading(() => {
      const row = this.#table.first("find", id);
      return row === undefined ? null : keyOf(row);
    });
  }

  List(owner: string): Awaitable<readonly StoredKey[]> {
    return this.#table.reading(() => this.#table.all("list", owner).map(keyOf));
  }

  Touch(id: string, at: Date): Awaitable<void> {
    return this.#table.transaction(() => void this.#table.run("touch", at.getTime(), id));
  }

  Expire(id: string, owner: string, at: Date): Awaitable<boolean> {
    return this.#table.transaction(() => this.#table.run("expire", at.getTime(), id, owner) > 0);
  }

  Delete(id: string, owner: string): Awaitable<boolean> {
    return this.#table.transaction(() => this.#table.run("delete", id, owner) > 0);
  }

  Close(): void {
    this.#table.close();
  }
}

function keyOf(row: unknown[]): StoredKey {
  const [ID, Owner, Name, Hash, scopes] = row as string[];
  const [Created, Expires, LastUsed] = (row.slice(5) as (number | null)[]).map((time) =>
    time === null ? null : new Date(time)
  );
  return {
    ID: ID ?? "",
    Owner: Owner ?? "",
    Name: Name ?? "",
    Hash: Hash ?? "",
    Scopes: (scopes ?? "").split(" ").filter((scope) => scope !== ""),
    Created: Created ?? new Date(0),
    Expires: Expires ?? null,
    LastUsed: LastUsed ?? null,
  };
}
