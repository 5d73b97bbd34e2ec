/**
 * Rows in a Deno KV database. Changes to a row are serialized.
 *
 * @module
 */
import { FrameworkError } from "../../base/errors/errors.ts";

/** The methods of `Deno.Kv` that the store uses. The type is repeated here because `Deno.Kv` is unstable. */
export interface KV {
  /** Reads an entry. */
  get(key: string[]): Promise<{ key: unknown; value: unknown; versionstamp: string | null }>;
  /** Lists the entries whose key starts with a prefix. */
  list(selector: { prefix: string[] }): AsyncIterable<{ key: unknown }>;
  /** Starts an atomic operation. */
  atomic(): KVAtomic;
}

/** The methods of `Deno.AtomicOperation` that the store uses. */
export interface KVAtomic {
  /** Requires that the entry has not changed. */
  check(entry: { key: string[]; versionstamp: string | null }): KVAtomic;
  /** Writes an entry. */
  set(key: string[], value: unknown, options: { expireIn: number }): KVAtomic;
  /** Removes an entry. */
  delete(key: string[]): KVAtomic;
  /** Commits the operation. */
  commit(): Promise<{ ok: boolean }>;
}

/** The row of a session. Its key is the session's first ID and stays the same if the ID is replaced. */
export interface Row {
  id: string;
  expires: number;
  slots: Map<string, string>;
}

/** The result of a change. */
export type Outcome = "write" | "remove" | "leave";

/** The row for an ID if it has not expired, and the version of the entry that maps the ID to the row's key. */
interface Found {
  key: string;
  row: Row | null;
  versionstamp: string | null;
}

/** The maximum number of attempts for a change that conflicts with changes from other processes. */
const attempts = 100;

/** The rows, stored as two entries each: the row by its key, and the key by the current ID. */
export class Rows {
  readonly #kv: KV;
  readonly #prefix: string;
  /** The last pending change of each session. Changes within a process are queued, so that they do not conflict. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(kv: KV, prefix: string) {
    this.#kv = kv;
    this.#prefix = prefix;
  }

  async find(id: string): Promise<Found> {
    const entry = await this.#kv.get(this.#idEntry(id));
    const key = entry.value as string | null ?? id;
    const row = entry.value === null ? null : (await this.#read(key)).row;
    return { key, row: row?.id === id ? row : null, versionstamp: entry.versionstamp };
  }

  async create(row: Row): Promise<boolean> {
    const found = await this.find(row.id);
    const there = await this.#read(row.id);
    if (found.row !== null || there.row !== null) return false;
    const operation = this.#kv.atomic()
      .check({ key: this.#rowEntry(row.id), versionstamp: there.versionstamp })
      .check({ key: this.#idEntry(row.id), versionstamp: found.versionstamp });
    return await this.#write(operation, row.id, row);
  }

  /**
   * Changes a row and retries on conflicts. Returns `false` if the row no longer exists, is unchanged, or if its new ID
   * is in use.
   */
  change(key: string, work: (row: Row) => Outcome): Promise<boolean> {
    return this.#inTurn(key, async () => {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const { row, versionstamp } = await this.#read(key);
        if (row === null) return false;
        const id = row.id;
        const outcome = work(row);
        if (outcome === "leave") return false;
        const operation = this.#kv.atomic().check({ key: this.#rowEntry(key), versionstamp });
        if (row.id !== id && !await this.#moves(operation, id, row.id)) return false;
        if (await (outcome === "write" ? this.#write(operation, key, row) : this.#remove(operation, key, id))) {
          return true;
        }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(attempt, 20)));
      }
      throw new FrameworkError(
        "FW_SESSION",
        `Cannot change the session: "${attempts}" attempts conflicted with other changes`,
      );
    });
  }

  /** Removes all rows and returns their IDs. */
  async removeAll(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of this.#kv.list({ prefix: this.#rowEntry("").slice(0, -1) })) {
      let removed = "";
      const isRemoved = await this.change((key as string[]).at(-1) ?? "", ({ id }) => {
        removed = id;
        return "remove";
      });
      if (isRemoved) ids.push(removed);
    }
    return ids;
  }

  /** Reads a row. Deno KV removes expired entries with a delay, so the expiry is checked here too. */
  async #read(key: string): Promise<{ row: Row | null; versionstamp: string | null }> {
    const { value, versionstamp } = await this.#kv.get(this.#rowEntry(key));
    const row = value as Row | null;
    return { row: row !== null && row.expires > Date.now() ? row : null, versionstamp };
  }

  async #moves(operation: KVAtomic, from: string, to: string): Promise<boolean> {
    const found = await this.find(to);
    operation.delete(this.#idEntry(from)).check({ key: this.#idEntry(to), versionstamp: found.versionstamp });
    return found.row === null;
  }

  async #write(operation: KVAtomic, key: string, row: Row): Promise<boolean> {
    const options = { expireIn: Math.max(1, Math.ceil(row.expires - Date.now())) };
    try {
      operation.set(this.#rowEntry(key), row, options).set(this.#idEntry(row.id), key, options);
      return (await operation.commit()).ok;
    } catch (error) {
      // The application stored too much data in the session. This is not an outage, so the response must not be 503.
      if (!(error instanceof TypeError)) throw error;
      throw new FrameworkError("FW_SESSION", `Cannot write a session to Deno KV: ${error.message}`, { cause: error });
    }
  }

  async #remove(operation: KVAtomic, key: string, id: string): Promise<boolean> {
    return (await operation.delete(this.#rowEntry(key)).delete(this.#idEntry(id)).commit()).ok;
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work, work);
    this.#turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }

  #rowEntry(key: string): string[] {
    return [this.#prefix, "row", key];
  }

  #idEntry(id: string): string[] {
    return [this.#prefix, "id", id];
  }
}
