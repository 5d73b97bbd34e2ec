/**
 * A session store in memory.
 *
 * @module
 */
import { inSlices } from "../../base/async/slices.ts";
import { count } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { isParallelThread } from "../../http/server/deno_serve.ts";
import { ExpiringRows, type Row } from "./expiring_rows.ts";
import { AddTo, type Changes, type Store, type Stored } from "./store.ts";

/** Options for {@linkcode NewMemory}. */
export interface MemoryOptions {
  /**
   * The maximum number of sessions. If it is exceeded, the least recently used session is removed.
   *
   * @default {100000}
   */
  MaxSessions?: number;
}

const table = optionTable<MemoryOptions>("sessions.MemoryOptions", "sessions.NewMemory")({
  MaxSessions: count(100_000),
});

/**
 * Creates a session store in memory. It is the default and the fastest store. Its sessions are lost when the process
 * ends.
 *
 * @param config The options.
 * @returns The store.
 * @throws {FrameworkError} If the maximum is not a positive integer.
 *
 * @example Limit the store to a thousand sessions
 * ```ts
 * import * as sessions from "@fw/web/sessions";
 *
 * const store = sessions.NewMemory({ MaxSessions: 1000 });
 * await store.Create("an-id", new Map([["a", "1"]]), 60_000);
 * (await store.Load("an-id"))?.Slots.get("a"); // → "1"
 * ```
 */
export function NewMemory(config: MemoryOptions = {}): Store {
  return new MemoryStore(readOptions(table, config).MaxSessions);
}

/** Reports whether a store keeps its sessions in the memory of this thread. */
export function isInMemory(store: Store): boolean {
  return store instanceof MemoryStore;
}

/** Returns a warning if a store is in the memory of a thread that is not the whole application. */
export function threadWarning(store: Store): string | undefined {
  if (!isInMemory(store) || !isParallelThread()) return undefined;
  return "Sessions are stored in the memory of each thread of `deno serve --parallel`, so users are logged out at " +
    "random: set the option Store, for example to a store of @fw/web/sessions/sqlite";
}

class MemoryStore implements Store {
  readonly #max: number;
  readonly #rows = new ExpiringRows();

  constructor(max: number) {
    this.#max = max;
  }

  Load(id: string): Stored | null {
    const now = this.#sweep();
    const row = this.#rows.find(id, now);
    if (row === undefined) return null;
    this.#rows.touch(row);
    return new StoredRow(this.#rows, row, now);
  }

  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): boolean {
    const now = this.#sweep();
    if (this.#rows.find(id, now) !== undefined) return false;
    if (this.#rows.size >= this.#max) this.#rows.removeOldest();
    this.#rows.add(id, new Map(slots), now + lifetime);
    return true;
  }

  async DestroyAll(): Promise<string[]> {
    const now = timeNow();
    const ids: string[] = [];
    await inSlices(this.#rows.takeAll(), (row) => row.expires > now && ids.push(row.id));
    return ids;
  }

  Close(): void {
    this.#rows.takeAll();
  }

  // Expired rows are removed during calls. A timer would keep the process alive and leak from every test that creates a
  // store.
  #sweep(): number {
    const now = timeNow();
    this.#rows.sweep(now);
    return now;
  }
}

/** A row as loaded by a request. */
class StoredRow implements Stored {
  readonly #rows: ExpiringRows;
  readonly #row: Row;
  readonly #id: string;
  readonly Slots: ReadonlyMap<string, string>;
  readonly Remaining: number;

  constructor(rows: ExpiringRows, row: Row, now: number) {
    this.#rows = rows;
    this.#row = row;
    this.#id = row.id;
    this.Slots = row.slots;
    this.Remaining = row.expires - now;
  }

  Commit(changes: Changes): boolean {
    const row = this.#row;
    const now = timeNow();
    if (!this.#lives(now)) return false;
    if (changes.ID !== undefined && !this.#rename(changes.ID, now)) return false;
    if (changes.Set.size + changes.Add.size + changes.Delete.size > 0) row.slots = applied(row.slots, changes);
    if (changes.Lifetime !== undefined) row.expires = now + changes.Lifetime;
    return true;
  }

  Take(slot: string): string | null {
    if (!this.#lives(timeNow())) return null;
    const text = this.#row.slots.get(slot);
    if (text === undefined) return null;
    const slots = new Map(this.#row.slots);
    slots.delete(slot);
    this.#row.slots = slots;
    return text;
  }

  Destroy(): boolean {
    if (!this.#lives(timeNow())) return false;
    this.#rows.remove(this.#row);
    return true;
  }

  #lives(now: number): boolean {
    return this.#rows.holds(this.#row) && this.#row.expires > now;
  }

  #rename(id: string, now: number): boolean {
    if (this.#row.id !== this.#id || this.#rows.find(id, now) !== undefined) return false;
    this.#rows.rename(this.#row, id);
    return true;
  }
}

let [wall, time] = [NaN, 0];

/** Returns the monotonic time. It is read once per millisecond, because that takes 0.1 µs more than the wall clock. */
function timeNow(): number {
  const now = Date.now();
  if (now !== wall) [wall, time] = [now, performance.now()];
  return time;
}

function applied(slots: ReadonlyMap<string, string>, changes: Changes): Map<string, string> {
  const next = new Map(slots);
  for (const slot of changes.Delete) next.delete(slot);
  for (const [slot, text] of changes.Set) next.set(slot, text);
  for (const [slot, n] of changes.Add) next.set(slot, AddTo(next.get(slot), n));
  return next;
}
