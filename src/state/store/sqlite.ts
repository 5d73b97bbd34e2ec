/**
 * A shared store in a SQLite file. It survives restarts and is shared by all processes on a machine.
 *
 * @example Count in a file
 * ```ts
 * import * as sqlite from "@fw/web/store/sqlite";
 *
 * const folder = await Deno.makeTempDir();
 * const store = sqlite.New({ File: `${folder}/shared.db` });
 * await store.Increment("visits", 1, 60_000); // → 1
 * await store.Increment("visits", 1, 60_000); // → 2
 * await store.Close?.();
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * @module
 */
import { backlogOf, fits, isBeyond, paceOf, type Rate, type Taken, takenOf } from "./rate.ts";
import { openDatabase, type Options } from "./sqlite_file.ts";
import { Table } from "./sqlite_table.ts";
import { type Awaitable, boundedKey, type Store } from "./store.ts";

export type {
  /** Options for a store in a SQLite file. */
  Options,
} from "./sqlite_file.ts";

/**
 * Opens a shared store in a SQLite file.
 *
 * @param config The options.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): Store {
  const database = openDatabase(config, { schema, noun: "store file", code: "FW_STORE" });
  return new SQLiteStore(new Table(database, statements));
}

const schema = `
  CREATE TABLE IF NOT EXISTS fw_shared (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS fw_shared_expires ON fw_shared (expires);`;

const statements = {
  // The text is read as bytes, because the driver truncates text at the first NUL.
  get: "SELECT CAST(text AS BLOB) AS bytes, expires FROM fw_shared WHERE key = ? AND expires > ?",
  set: `INSERT INTO fw_shared (key, text, expires) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET text = excluded.text, expires = excluded.expires`,
  delete: "DELETE FROM fw_shared WHERE key = ? AND expires > ?",
  sweep: "DELETE FROM fw_shared WHERE key IN (SELECT key FROM fw_shared WHERE expires <= ? LIMIT ?)",
} as const;

/** The interval between sweeps for expired rows, in milliseconds, and the maximum number of rows per sweep. */
const sweepEvery = 10_000;
const sweptAtOnce = 200;
const decoder = new TextDecoder();

class SQLiteStore implements Store {
  readonly #table: Table<keyof typeof statements>;
  #nextSweep = 0;

  constructor(table: Table<keyof typeof statements>) {
    this.#table = table;
  }

  Take(key: string, rate: Rate): Awaitable<Taken> {
    const pace = paceOf(rate);
    const own = boundedKey(key);
    return this.#table.transaction((now) => {
      // All processes on a machine share its clock, but only with millisecond resolution.
      const micros = now * 1000;
      const stored = Number(this.#read(own, now)?.text);
      const idleAt = Number.isFinite(stored) ? stored : 0;
      const backlog = backlogOf(pace, idleAt, micros);
      const isAllowed = fits(pace, backlog);
      const after = isAllowed ? backlog + pace.spacing : backlog;
      if (isAllowed || isBeyond(pace, idleAt, micros)) {
        this.#write(own, String(micros + after), now + Math.ceil(after / 1000), now);
      }
      return takenOf(pace, isAllowed, after);
    });
  }

  Increment(key: string, n: number, lifetime: number): Awaitable<number> {
    const own = boundedKey(key);
    return this.#table.transaction((now) => {
      const row = this.#read(own, now);
      const before = Number(row?.text);
      const sum = (Number.isFinite(before) ? before : 0) + n;
      this.#write(own, String(sum), row?.expires ?? now + Math.ceil(lifetime), now);
      return sum;
    });
  }

  Get(key: string): Awaitable<string | null> {
    return this.#table.reading(() => this.#read(boundedKey(key), Date.now())?.text ?? null);
  }

  Set(key: string, text: string, lifetime: number): Awaitable<void> {
    return this.#table.transaction((now) => this.#write(boundedKey(key), text, now + Math.ceil(lifetime), now));
  }

  Create(key: string, text: string, lifetime: number): Awaitable<boolean> {
    const own = boundedKey(key);
    return this.#table.transaction((now) => {
      if (this.#read(own, now) !== undefined) return false;
      this.#write(own, text, now + Math.ceil(lifetime), now);
      return true;
    });
  }

  Delete(key: string): Awaitable<boolean> {
    return this.#table.transaction((now) => this.#table.run("delete", boundedKey(key), now) > 0);
  }

  Close(): void {
    this.#table.close();
  }

  #read(key: string, now: number): { text: string; expires: number } | undefined {
    const row = this.#table.first("get", key, now);
    if (row === undefined) return undefined;
    return { text: decoder.decode(row[0] as Uint8Array), expires: row[1] as number };
  }

  #write(key: string, text: string, expires: number, now: number): void {
    this.#table.run("set", key, text, expires);
    if (performance.now() < this.#nextSweep) return;
    const removed = this.#table.run("sweep", now, sweptAtOnce);
    this.#nextSweep = performance.now() + (removed < sweptAtOnce ? sweepEvery : 0);
  }
}
