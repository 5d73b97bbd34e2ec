/**
 * A session store in a SQLite file. Sessions survive restarts and are shared by all processes on a machine.
 *
 * Changes are written before the response is sent, so no acknowledged change is lost, even if the process is killed.
 *
 * @example Count visits in a file
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 * import * as sessions from "@fw/web/sessions";
 * import * as sqlite from "@fw/web/sessions/sqlite";
 *
 * const folder = await Deno.makeTempDir();
 * const manager = sessions.New({ Cookie: "sid", Store: sqlite.New({ File: `${folder}/sessions.db` }) });
 * const app = fw.New();
 * app.Get("/", async (ctx) => ctx.WriteString(`visit ${(await manager.Start(ctx)).Increment("visits")}`));
 *
 * const visitor = httptest.New(app);
 * await visitor.GET("/").Expect().Body("visit 1");
 * await visitor.GET("/").Expect().Body("visit 2");
 * await manager.Close();
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * @module
 */
import { repeatInSlices } from "../../base/async/slices.ts";
import type { Awaitable } from "../store/store.ts";
import { openDatabase, type Options } from "../store/sqlite_file.ts";
import { Table } from "../store/sqlite_table.ts";
import { schema, type SessionTable, statements } from "./sqlite_statements.ts";
import { AddTo, type Changes, type Store, type Stored } from "./store.ts";

/**
 * Opens a session store in a SQLite file.
 *
 * @param config The options; see `Options` of `@fw/web/store/sqlite`.
 * @returns The store. Close it when the application ends.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): Store {
  const database = openDatabase(config, { schema, noun: "session file", code: "FW_SESSION" });
  return new SQLiteStore(new Table(database, statements));
}

/** The interval between sweeps for expired rows, in milliseconds. */
const sweepEvery = 10_000;
/** The maximum number of rows that one statement removes. A statement blocks all requests of the process. */
const removedAtOnce = 100;

class SQLiteStore implements Store {
  readonly #table: SessionTable;
  #nextSweep = 0;

  constructor(table: SessionTable) {
    this.#table = table;
  }

  Load(id: string): Awaitable<Stored | null> {
    return this.#table.reading(() => this.#load(id, Date.now()));
  }

  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Awaitable<boolean> {
    return this.#table.transaction((now) => this.#create(id, slots, now, lifetime));
  }

  async DestroyAll(): Promise<string[]> {
    const ids: string[] = [];
    // The number of a session does not change with its ID, so none is missed. Later sessions have higher numbers.
    const last = await this.#table.reading(() => this.#table.first("last")?.[0] as number | null) ?? 0;
    await repeatInSlices(removedAtOnce, (count) =>
      this.#table.transaction((now) => {
        const rows = this.#table.all("destroySome", last, count) as [string, number][];
        for (const [id, expires] of rows) if (expires > now) ids.push(id);
        return rows.length;
      }));
    return ids;
  }

  Close(): void {
    this.#table.close();
  }

  #load(id: string, now: number): Stored | null {
    const rows = this.#table.all("load", id, now);
    const first = rows[0];
    if (first === undefined) return null;
    const slots = new Map<string, string>();
    for (const [, , name, text] of rows) {
      if (name !== null) slots.set(decodeName(name as string), text as string);
    }
    return new StoredRow(this.#table, first[0] as number, id, slots, first[1] as number - now);
  }

  #create(id: string, slots: ReadonlyMap<string, string>, now: number, lifetime: number): boolean {
    this.#sweepNowAndThen(now);
    if (isTaken(this.#table, id, now)) return false;
    const session = this.#table.first("create", id, now + Math.ceil(lifetime))?.[0] as number;
    for (const [slot, text] of slots) this.#table.run("set", session, encodeName(slot), text);
    return true;
  }

  #sweepNowAndThen(now: number): void {
    if (performance.now() < this.#nextSweep) return;
    const removed = this.#table.run("sweep", now, removedAtOnce);
    this.#nextSweep = performance.now() + (removed < removedAtOnce ? sweepEvery : 0);
  }
}

/** A session as loaded by a request. */
class StoredRow implements Stored {
  readonly #table: SessionTable;
  readonly #session: number;
  readonly #id: string;
  readonly Slots: ReadonlyMap<string, string>;
  readonly Remaining: number;

  constructor(table: SessionTable, session: number, id: string, slots: ReadonlyMap<string, string>, remaining: number) {
    this.#table = table;
    this.#session = session;
    this.#id = id;
    this.Slots = slots;
    this.Remaining = remaining;
  }

  Commit(changes: Changes): Awaitable<boolean> {
    return this.#table.transaction((now) => this.#commit(changes, now));
  }

  Take(slot: string): Awaitable<string | null> {
    return this.#table.transaction((now) => {
      if (this.#idNow(now) === undefined) return null;
      return this.#table.first("take", this.#session, encodeName(slot))?.[0] as string ?? null;
    });
  }

  Destroy(): Awaitable<boolean> {
    return this.#table.transaction((now) =>
      this.#idNow(now) !== undefined && this.#table.run("destroy", this.#session) > 0
    );
  }

  #commit(changes: Changes, now: number): boolean {
    const table = this.#table;
    const session = this.#session;
    const id = this.#idNow(now);
    if (id === undefined) return false;
    if (changes.ID !== undefined) {
      if (id !== this.#id || isTaken(table, changes.ID, now)) return false;
      table.run("rename", changes.ID, session);
    }
    for (const slot of changes.Delete) table.run("delete", session, encodeName(slot));
    for (const [slot, text] of changes.Set) table.run("set", session, encodeName(slot), text);
    for (const [slot, n] of changes.Add) {
      const name = encodeName(slot);
      const text = table.first("get", session, name)?.[0] as string | undefined;
      table.run("set", session, name, AddTo(text, n));
    }
    if (changes.Lifetime !== undefined) table.run("renew", now + Math.ceil(changes.Lifetime), session);
    return true;
  }

  #idNow(now: number): string | undefined {
    return this.#table.first("id", this.#session, now)?.[0] as string | undefined;
  }
}

function isTaken(table: SessionTable, id: string, now: number): boolean {
  table.run("forget", id, now);
  return table.first("taken", id) !== undefined;
}

// The driver truncates text at the first NUL when reading, so names that contain NUL or the escape character are
// encoded. Slot values are JSON and never contain NUL.
function encodeName(name: string): string {
  if (!name.includes("\0") && !name.includes("\x01")) return name;
  return name.replaceAll("\x01", "\x01b").replaceAll("\0", "\x01a");
}

function decodeName(name: string): string {
  return name.includes("\x01") ? name.replaceAll("\x01a", "\0").replaceAll("\x01b", "\x01") : name;
}
