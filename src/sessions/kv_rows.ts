/**
 * A Deno KV database as rows that change one after another.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";

/** The part of a `Deno.Kv` that the store uses. A `Deno.Kv` is one; the type is spelled out as Deno's is unstable. */
export interface KV {
  /** Reads one entry. */
  get(key: string[]): Promise<{ key: unknown; value: unknown; versionstamp: string | null }>;
  /** Begins a set of writes that happen together or not at all. */
  atomic(): KVAtomic;
  /** Closes the database. */
  close(): void;
}

/** The part of a `Deno.AtomicOperation` that the store uses. */
export interface KVAtomic {
  /** Lets the writes happen only if the entry has not changed. */
  check(entry: { key: string[]; versionstamp: string | null }): KVAtomic;
  /** Writes an entry. */
  set(key: string[], value: unknown, options: { expireIn: number }): KVAtomic;
  /** Removes an entry. */
  delete(key: string[]): KVAtomic;
  /** Does it all. */
  commit(): Promise<{ ok: boolean }>;
}

/** What is kept of a session under its key, which is its first id and stays when the id is replaced. */
export interface Row {
  id: string;
  expires: number;
  slots: Map<string, string>;
}

/** What a change wants done with the row that it was shown. */
export type Outcome = "write" | "remove" | "leave";

/** What is found under an id: the row, if it lives and has that id, and the version of the entry that names its key. */
interface Found {
  key: string;
  row: Row | null;
  versionstamp: string | null;
}

/** How often a change is tried anew when other processes change the same session at the same time. */
const attempts = 100;

/** Two entries a session: the row by its key, and the key by the id that it has now. */
export class Rows {
  readonly #kv: KV;
  readonly #prefix: string;
  /** The last change under way of each session: the changes of one process queue and need not collide. */
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

  /** Changes a row, again until no other change came between; false when it is gone, left, or its new id is in use. */
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
        `Cannot change a session: others changed it "${attempts}" times meanwhile`,
      );
    });
  }

  close(): void {
    this.#kv.close();
  }

  /** KV removes what has expired when it likes, so the time is looked at here too. */
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
      // The application put too much into the session: no outage, and no reason to tell clients to come back later.
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
