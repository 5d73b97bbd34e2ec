/**
 * Notifies the streams and connections of a session of its end, in all processes that share the store.
 *
 * Each process with open streams or connections reads the sessions that have ended from the store every two seconds.
 * They are listed in rows for five seconds each, so that no process reads a long list.
 *
 * @module
 */
import { startShared } from "../../base/async/shared_timer.ts";
import type { SessionEnd } from "../../core/exchange/stream_terms.ts";
import type { Awaitable } from "../store/store.ts";
import type { Logging, StoreGuard } from "../store/store_guard.ts";
import { isBoolean } from "../store/store_results.ts";
import { isInMemory } from "./memory.ts";
import { isStored, type Store } from "./store.ts";

/** The interval between two reads, in milliseconds. */
const LOOK_MS = 2_000;
/** The time span of a row, in milliseconds. */
const SPAN_MS = 5_000;
/** The lifetime of a row, in milliseconds. */
const KEPT_MS = 60_000;
/** The rows to read, relative to the current one. The clocks of machines may differ. */
const LOOKED_AT = [-3, -2, -1, 0, 1, 2] as const;
const attempts = 20;
/** The key that represents all sessions. */
export const everySession = "*";

interface Watcher {
  /** The time when the session was loaded. */
  readonly since: number;
  /** The time when the session ends in any case. */
  readonly until: number;
  ended(reason: SessionEnd): void;
}

/** The endings of each store in this process. Several managers may share a store. */
const known = new WeakMap<Store, Endings>();

/** Returns the endings of a store. */
export function endingsOf(store: Store, guard: StoreGuard): Endings {
  let endings = known.get(store);
  if (endings === undefined) known.set(store, endings = new Endings(store, guard));
  return endings;
}

/** The endings of the sessions of a store. */
export class Endings {
  readonly #store: Store;
  readonly #guard: StoreGuard;
  /** Whether other processes may use the store. */
  readonly isShared: boolean;
  /** The watchers by the key of their session. */
  readonly #watchers = new Map<string, Set<Watcher>>();
  #stop: (() => void) | undefined = undefined;

  constructor(store: Store, guard: StoreGuard) {
    this.#store = store;
    this.#guard = guard;
    this.isShared = !isInMemory(store);
  }

  /**
   * Watches a session.
   *
   * @param key The key of the session.
   * @param watcher The callback, and the time when the session ends in any case.
   * @returns A function that ends the watch.
   */
  watch(key: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(key) ?? new Set();
    this.#watchers.set(key, watchers.add(watcher));
    this.#stop ??= startShared(() => setInterval(() => void this.#look(), LOOK_MS));
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0 && this.#watchers.get(key) === watchers) this.#forget(key);
    };
  }

  /** Announces the end of sessions, by their keys. Returns a promise if the store is shared with other processes. */
  announce(log: Logging | undefined, keys: readonly string[], reason: SessionEnd): Awaitable<void> {
    for (const key of keys) this.#end(key, reason, Infinity);
    if (this.isShared && keys.length > 0) return this.#post(log, keys, reason);
  }

  /** Ends the watchers that have loaded a session before a time. The session itself may have got another ID. */
  #end(key: string, reason: SessionEnd, before: number): void {
    if (key === everySession) return [...this.#watchers.keys()].forEach((each) => this.#end(each, reason, before));
    const watchers = this.#watchers.get(key);
    if (watchers === undefined) return;
    const ended = [...watchers].filter(({ since }) => since <= before);
    for (const watcher of ended) watchers.delete(watcher);
    if (watchers.size === 0) this.#forget(key);
    for (const watcher of ended) watcher.ended(reason);
  }

  #forget(key: string): void {
    this.#watchers.delete(key);
    if (this.#watchers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #post(log: Logging | undefined, keys: readonly string[], reason: SessionEnd): Promise<void> {
    const id = rowID(Math.floor(Date.now() / SPAN_MS));
    const slots = new Map(keys.map((key) => [key, `${reason} ${Date.now()}`]));
    const changes = { Set: slots, Add: new Map<string, number>(), Delete: new Set<string>() };
    for (let count = 0; count < attempts; count++) {
      const row = await this.#guard.read(log, () => this.#store.Load(id), isStored);
      const isDone = row === null
        ? this.#guard.write(log, () => this.#store.Create(id, slots, KEPT_MS), isBoolean)
        : this.#guard.write(log, () => row.Commit(changes), isBoolean);
      if (await isDone) return;
    }
  }

  async #look(): Promise<void> {
    const now = Date.now();
    for (const [key, watchers] of this.#watchers) {
      // The watchers of a session may have loaded it at different times.
      if (watchers.values().some(({ until }) => until <= now)) this.#end(key, "ended", Infinity);
    }
    if (!this.isShared) return;
    const current = Math.floor(now / SPAN_MS);
    try {
      for (const offset of LOOKED_AT) {
        const row = await this.#guard.read(undefined, () => this.#store.Load(rowID(current + offset)), isStored);
        for (const [key, text] of row?.Slots ?? []) {
          const [reason, at] = text.split(" ");
          this.#end(key, reason === "renamed" ? reason : "ended", Number(at));
        }
      }
    } catch {
      // The store is not available. Requests log this, and the next read covers the same time.
    }
  }
}

/** Returns the ID of a row. Clients cannot send it, because session IDs contain no colons. */
function rowID(span: number): string {
  return `ended:${span}`;
}
