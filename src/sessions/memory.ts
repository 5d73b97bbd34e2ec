/**
 * Sessions kept in the memory of the process.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";
import { AddTo, type Changes, type Store, type Stored } from "./store.ts";

/** How the memory store is bounded. */
export interface MemoryConfig {
  /** The most sessions kept; beyond it the one not used for longest is dropped. 100,000 when left out. */
  MaxSessions?: number;
}

/**
 * Makes a store in memory: the fastest one, the default one, and gone with the process.
 *
 * @param config Its bound.
 * @returns The store.
 *
 * @example Keeping at most a thousand sessions
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as sessions from "@fw/web/sessions";
 *
 * const store = sessions.NewMemory({ MaxSessions: 1000 });
 * await store.Create("an-id", new Map([["a", "1"]]), 60_000);
 * assertEquals((await store.Load("an-id"))?.Slots.get("a"), "1");
 * ```
 */
export function NewMemory(config: MemoryConfig = {}): Store {
  const max = config.MaxSessions ?? 100_000;
  if (!Number.isSafeInteger(max) || max < 1) {
    throw new FrameworkError("FW_CONFIG", `Cannot make a memory store of "${max}" sessions: it must be 1 or more`);
  }
  return new MemoryStore(max);
}

/** How many sessions each call looks at for having expired: two, so that sweeping outruns one new session a call. */
const sweptPerCall = 2;

/** One session's row. `slots` is replaced and never changed, so that a loaded session needs no copy. */
interface Row {
  id: string;
  slots: ReadonlyMap<string, string>;
  expires: number;
}

class MemoryStore implements Store {
  readonly #max: number;
  /** By id, the least recently used first. */
  readonly #rows = new Map<string, Row>();
  #cursor: MapIterator<Row> | undefined = undefined;

  constructor(max: number) {
    this.#max = max;
  }

  Load(id: string): Stored | null {
    const now = Date.now();
    this.#sweepSome(now);
    const row = this.#rows.get(id);
    if (row === undefined) return null;
    this.#rows.delete(id);
    if (row.expires <= now) return null;
    this.#rows.set(id, row);
    return new StoredRow(this.#rows, row, now);
  }

  Create(id: string, slots: ReadonlyMap<string, string>, lifetime: number): boolean {
    const now = Date.now();
    this.#sweepSome(now);
    if (isTaken(this.#rows, id, now)) return false;
    if (this.#rows.size >= this.#max) this.#dropOldest();
    this.#rows.set(id, { id, slots: new Map(slots), expires: now + lifetime });
    return true;
  }

  Sweep(): number {
    const now = Date.now();
    const before = this.#rows.size;
    for (const row of this.#rows.values()) {
      if (row.expires <= now) this.#rows.delete(row.id);
    }
    return before - this.#rows.size;
  }

  Close(): void {
    this.#cursor = undefined;
    this.#rows.clear();
  }

  // Sweeping rides on the calls: a timer would hold the process open, and leak from every test that makes a store.
  #sweepSome(now: number): void {
    for (let i = 0; i < sweptPerCall; i++) {
      this.#cursor ??= this.#rows.values();
      const next = this.#cursor.next();
      if (next.done) {
        this.#cursor = undefined;
        return;
      }
      if (next.value.expires <= now) this.#rows.delete(next.value.id);
    }
  }

  #dropOldest(): void {
    for (const id of this.#rows.keys()) {
      this.#rows.delete(id);
      return;
    }
  }
}

/** A row as one request loaded it. */
class StoredRow implements Stored {
  readonly #rows: Map<string, Row>;
  readonly #row: Row;
  readonly #id: string;
  readonly Slots: ReadonlyMap<string, string>;
  readonly Remaining: number;

  constructor(rows: Map<string, Row>, row: Row, now: number) {
    this.#rows = rows;
    this.#row = row;
    this.#id = row.id;
    this.Slots = row.slots;
    this.Remaining = row.expires - now;
  }

  Commit(changes: Changes): boolean {
    const row = this.#row;
    const now = Date.now();
    if (!this.#lives(now)) return false;
    if (changes.ID !== undefined && !this.#rename(changes.ID, now)) return false;
    if (changes.Set.size + changes.Add.size + changes.Delete.size > 0) row.slots = applied(row.slots, changes);
    if (changes.Lifetime !== undefined) row.expires = now + changes.Lifetime;
    return true;
  }

  Take(slot: string): string | null {
    if (!this.#lives(Date.now())) return null;
    const text = this.#row.slots.get(slot);
    if (text === undefined) return null;
    const slots = new Map(this.#row.slots);
    slots.delete(slot);
    this.#row.slots = slots;
    return text;
  }

  Destroy(): boolean {
    if (!this.#lives(Date.now())) return false;
    return this.#rows.delete(this.#row.id);
  }

  /** By identity: the row may have been dropped, and its id even taken by another. */
  #lives(now: number): boolean {
    return this.#rows.get(this.#row.id) === this.#row && this.#row.expires > now;
  }

  #rename(id: string, now: number): boolean {
    if (this.#row.id !== this.#id || isTaken(this.#rows, id, now)) return false;
    this.#rows.delete(this.#row.id);
    this.#row.id = id;
    this.#rows.set(id, this.#row);
    return true;
  }
}

function applied(slots: ReadonlyMap<string, string>, changes: Changes): Map<string, string> {
  const next = new Map(slots);
  for (const slot of changes.Delete) next.delete(slot);
  for (const [slot, text] of changes.Set) next.set(slot, text);
  for (const [slot, n] of changes.Add) next.set(slot, AddTo(next.get(slot), n));
  return next;
}

/** Says whether a live session has the id, and forgets one that has expired. */
function isTaken(rows: Map<string, Row>, id: string, now: number): boolean {
  const row = rows.get(id);
  if (row === undefined) return false;
  if (row.expires <= now) rows.delete(id);
  return row.expires > now;
}
