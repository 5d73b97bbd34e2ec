/**
 * A shared store in memory.
 *
 * @module
 */
import { count, oneOf } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { backlogOf, fits, isBeyond, paceOf, type Rate, type Taken, takenOf } from "./rate.ts";
import { boundedKey, detached, type Store } from "./store.ts";

/** Options for {@linkcode NewMemory}. */
export interface MemoryOptions {
  /**
   * The maximum number of keys.
   *
   * @default {100000}
   */
  MaxKeys?: number;
  /**
   * The behavior for new keys if the store is full of keys that have not expired. `"evict"` removes a key that has not
   * been used recently, and `"refuse"` makes the call fail. Eviction is suitable for rate limits and caches, but not
   * for blocked tokens, because an attacker could evict an entry by adding others.
   *
   * @default {"evict"}
   */
  WhenFull?: "evict" | "refuse";
}

const table = optionTable<MemoryOptions>("store.MemoryOptions", "store.NewMemory")({
  MaxKeys: count(100_000),
  WhenFull: oneOf("evict", "evict", "refuse"),
});

/**
 * Creates a shared store in memory. This is the fastest store, but it is limited to one process and loses its data when
 * the process ends.
 *
 * @param config The options.
 * @returns The store.
 * @throws {FrameworkError} If the maximum is not a positive integer.
 *
 * @example Limit requests to two per minute
 * ```ts
 * import * as store from "@fw/web/store";
 *
 * const shared = store.NewMemory({ MaxKeys: 10_000 });
 * const rate = { Limit: 2, Period: 60_000 };
 * (await shared.Take("192.0.2.1", rate)).Remaining; // → 1
 * (await shared.Take("192.0.2.1", rate)).Allowed; // → true
 * (await shared.Take("192.0.2.1", rate)).Allowed; // → false
 * (await shared.Take("192.0.2.2", rate)).Allowed; // → true
 * ```
 */
export function NewMemory(config: MemoryOptions = {}): Store {
  const { MaxKeys, WhenFull } = readOptions(table, config);
  return new MemoryStore(MaxKeys, WhenFull);
}

/**
 * The number of rows to check for expiry per new key. With two rows, sweeping is faster than adding one key per call.
 */
const sweptPerKey = 2;
/** The maximum number of recently used rows to skip before one of them is evicted anyway. */
const mostSpared = 16;
/** The minimum interval between full sweeps of a store that refuses keys, in milliseconds. */
const wholeSweepEvery = 1000;

interface Row {
  readonly key: string;
  value: string | number;
  /** The expiry time, by `clock`. */
  expires: number;
  /** Whether the row was used since the clock hand last passed it. */
  isUsed: boolean;
}

class MemoryStore implements Store {
  readonly Evicts: boolean;
  readonly #max: number;
  readonly #rows = new Map<string, Row>();
  /**
   * The clock hand. It cycles through all rows, removes expired ones and selects the next row to evict in constant
   * time.
   */
  #hand: MapIterator<Row> | undefined = undefined;
  #nextWholeSweep = 0;

  constructor(max: number, whenFull: "evict" | "refuse") {
    this.Evicts = whenFull === "evict";
    this.#max = max;
  }

  Take(key: string, rate: Rate): Taken {
    const pace = paceOf(rate);
    const now = clock();
    const micros = Math.floor(now * 1000);
    const row = this.#find(key, now);
    const idleAt = typeof row?.value === "number" ? row.value : 0;
    const backlog = backlogOf(pace, idleAt, micros);
    const isAllowed = fits(pace, backlog);
    const after = isAllowed ? backlog + pace.spacing : backlog;
    if (isAllowed || isBeyond(pace, idleAt, micros)) this.#write(row, key, micros + after, now + after / 1000, now);
    return takenOf(pace, isAllowed, after);
  }

  Increment(key: string, n: number, lifetime: number): number {
    const now = clock();
    const row = this.#find(key, now);
    const sum = (typeof row?.value === "number" ? row.value : 0) + n;
    this.#write(row, key, sum, row?.expires ?? now + lifetime, now);
    return sum;
  }

  Get(key: string): string | null {
    const value = this.#find(key, clock())?.value;
    return value === undefined ? null : String(value);
  }

  Set(key: string, text: string, lifetime: number): void {
    const now = clock();
    this.#write(this.#find(key, now), key, detached(text), now + lifetime, now);
  }

  Create(key: string, text: string, lifetime: number): boolean {
    const now = clock();
    if (this.#find(key, now) !== undefined) return false;
    this.#write(undefined, key, detached(text), now + lifetime, now);
    return true;
  }

  Delete(key: string): boolean {
    const row = this.#find(key, clock());
    return row !== undefined && this.#rows.delete(row.key);
  }

  Close(): void {
    this.#hand = undefined;
    this.#rows.clear();
  }

  #find(key: string, now: number): Row | undefined {
    const row = this.#rows.get(boundedKey(key));
    if (row === undefined) return undefined;
    if (row.expires <= now) {
      this.#rows.delete(row.key);
      return undefined;
    }
    row.isUsed = true;
    return row;
  }

  #write(row: Row | undefined, key: string, value: string | number, expires: number, now: number): void {
    if (row !== undefined) {
      row.value = value;
      row.expires = expires;
      return;
    }
    this.#makeRoom(now);
    const own = detached(boundedKey(key));
    this.#rows.set(own, { key: own, value, expires, isUsed: false });
  }

  // Expired rows are removed during calls. A timer would keep the process alive and leak from every test that creates a
  // store.
  #makeRoom(now: number): void {
    for (let i = 0; i < sweptPerKey; i++) {
      const row = this.#next();
      if (row !== undefined && row.expires <= now) this.#rows.delete(row.key);
    }
    if (this.#rows.size < this.#max) return;
    if (this.Evicts) return this.#evict();
    if (now >= this.#nextWholeSweep) {
      this.#nextWholeSweep = now + wholeSweepEvery;
      this.#sweepAll(now);
    }
    if (this.#rows.size >= this.#max) {
      throw new FrameworkError("FW_STORE", `Cannot store another key: the memory store is full ("${this.#max}" keys)`);
    }
  }

  #sweepAll(now: number): void {
    for (const row of this.#rows.values()) {
      if (row.expires <= now) this.#rows.delete(row.key);
    }
  }

  #evict(): void {
    for (let spared = 0; this.#rows.size >= this.#max; spared++) {
      const row = this.#next();
      if (row === undefined) continue;
      if (row.isUsed && spared < mostSpared) row.isUsed = false;
      else this.#rows.delete(row.key);
    }
  }

  /** Returns the row at the hand and advances the hand. Returns `undefined` at the end of a cycle. */
  #next(): Row | undefined {
    this.#hand ??= this.#rows.values();
    const next = this.#hand.next();
    if (!next.done) return next.value;
    this.#hand = undefined;
    return undefined;
  }
}

/** Returns the time in milliseconds, by a clock that is never set back. */
function clock(): number {
  return performance.now();
}
