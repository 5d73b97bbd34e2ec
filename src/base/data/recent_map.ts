/**
 * A map with a limited size, for caches.
 *
 * @module
 */

/** The limits of a {@linkcode RecentMap}. */
export interface RecentLimits {
  /** The maximum number of entries. */
  readonly most: number;
  /** The lifetime of an entry, in milliseconds. If omitted, entries do not expire. */
  readonly lifetime?: number;
}

interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/**
 * Maps strings to values. The number of entries is limited, and entries can have a lifetime.
 *
 * If the map is full, adding a key removes all other entries. Removing only the oldest one would cost more: the first
 * key of a `Map` is slow to find after many deletions, and a flood of new keys would trigger that search on every
 * request.
 */
export class RecentMap<V> {
  readonly #most: number;
  readonly #lifetime: number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor({ most, lifetime = Infinity }: RecentLimits) {
    this.#most = most;
    this.#lifetime = lifetime;
  }

  /** Returns the number of entries, including expired entries that have not been looked up since. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value for a key, or `undefined` if there is none or it has expired. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until === Infinity || entry.until > performance.now()) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Returns the time at which the entry for a key expires, as measured by `performance.now()`. */
  expiryOf(key: string): number | undefined {
    return this.#entries.get(key)?.until;
  }

  /**
   * Adds or replaces an entry.
   *
   * @param key The key.
   * @param value The value.
   * @param until The time at which the entry expires, as measured by `performance.now()`. Defaults to the map's
   * lifetime from now.
   * @returns Whether the map was full and all other entries were removed.
   */
  set(key: string, value: V, until: number = this.#expiry()): boolean {
    const isFull = this.#entries.size >= this.#most && !this.#entries.has(key);
    if (isFull) this.#entries.clear();
    this.#entries.set(key, { value, until });
    return isFull;
  }

  /** Removes an entry. Returns whether it existed. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  #expiry(): number {
    return this.#lifetime === Infinity ? Infinity : performance.now() + this.#lifetime;
  }
}
