/**
 * A session store in Deno KV. It requires the flag `--unstable-kv`.
 *
 * Each session is stored as one entry, so it is limited to 65,536 bytes, the maximum size of a value in Deno KV.
 *
 * @example Count visits in Deno KV
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 * import * as sessions from "@fw/web/sessions";
 * import * as kv from "@fw/web/sessions/kv";
 *
 * using database = await Deno.openKv(":memory:");
 * const manager = sessions.New({ Cookie: "sid", Store: kv.New(database) });
 * const app = fw.New();
 * app.Get("/", async (ctx) => ctx.WriteString(`visit ${(await manager.Start(ctx)).Increment("visits")}`));
 *
 * const visitor = httptest.New(app);
 * await visitor.GET("/").Expect().Body("visit 1");
 * await visitor.GET("/").Expect().Body("visit 2");
 * ```
 *
 * @module
 */
import { checkDriver, type DriverRule } from "../../base/config/check_driver.ts";
import { text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type KV, type Row, Rows } from "./kv_rows.ts";
import { AddTo, type Changes, type Store, type Stored } from "./store.ts";

export type { KV, KVAtomic } from "./kv_rows.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The first part of every key.
   *
   * @default {"fw_session"}
   */
  Prefix?: string;
}

const table = optionTable<Options>("sessions/kv.Options", "the KV session store")({
  Prefix: text("fw_session"),
});

const rule: DriverRule = {
  owner: "the KV session store",
  noun: "database",
  methods: ["get", "list", "atomic"],
  line: "`await Deno.openKv()`",
  verb: "open",
};

/**
 * Creates a session store in a Deno KV database.
 *
 * @param kv The database, as returned by `Deno.openKv()`. The application closes it, after the manager.
 * @param config The options.
 * @returns The store.
 * @throws {FrameworkError} If the database lacks a method or an option is invalid.
 */
export function New(kv: KV, config: Options = {}): Store {
  const { Prefix } = readOptions(table, config);
  checkDriver(kv, rule);
  return new KVStore(new Rows(kv, Prefix));
}

class KVStore implements Store {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  async Load(id: string): Promise<Stored | null> {
    const { key, row } = await this.#rows.find(id);
    return row === null ? null : new StoredRow(this.#rows, key, row);
  }

  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): Promise<boolean> {
    return this.#rows.create({ id, slots: new Map(slots), expires: Date.now() + lifetime });
  }

  DestroyAll(): Promise<string[]> {
    return this.#rows.removeAll();
  }
}

/** A session as loaded by a request. */
class StoredRow implements Stored {
  readonly #rows: Rows;
  readonly #key: string;
  readonly #id: string;
  readonly Slots: ReadonlyMap<string, string>;
  readonly Remaining: number;

  constructor(rows: Rows, key: string, row: Row) {
    this.#rows = rows;
    this.#key = key;
    this.#id = row.id;
    this.Slots = row.slots;
    this.Remaining = row.expires - Date.now();
  }

  Commit(changes: Changes): Promise<boolean> {
    return this.#rows.change(this.#key, (row) => {
      if (changes.ID !== undefined && row.id !== this.#id) return "leave";
      row.id = changes.ID ?? row.id;
      for (const slot of changes.Delete) row.slots.delete(slot);
      for (const [slot, text] of changes.Set) row.slots.set(slot, text);
      for (const [slot, n] of changes.Add) row.slots.set(slot, AddTo(row.slots.get(slot), n));
      if (changes.Lifetime !== undefined) row.expires = Date.now() + changes.Lifetime;
      return "write";
    });
  }

  async Take(slot: string): Promise<string | null> {
    let text: string | null = null;
    const taken = await this.#rows.change(this.#key, (row) => {
      text = row.slots.get(slot) ?? null;
      return row.slots.delete(slot) ? "write" : "leave";
    });
    return taken ? text : null;
  }

  Destroy(): Promise<boolean> {
    return this.#rows.change(this.#key, () => "remove");
  }
}
