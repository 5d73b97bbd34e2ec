/**
 * A bounded, short-lived cache for values that were verified recently.
 *
 * @module
 */

/** The lifetime of cached values, in milliseconds, and their maximum number. */
export interface RecentlyLimits {
  readonly lifetime: number;
  readonly most: number;
}

/** Caches values for a short time, in bounded memory. */
export class Recently<T> {
  readonly #limits: RecentlyLimits;
  readonly #rows = new Map<string, { value: T; until: number }>();

  constructor(limits: RecentlyLimits) {
    this.#limits = limits;
  }

  find(key: string): T | undefined {
    const row = this.#rows.get(key);
    if (row === undefined || row.until > performance.now()) return row?.value;
    this.#rows.delete(key);
    return undefined;
  }

  add(key: string, value: T): void {
    // Clear everything at once: finding the oldest entry of a Map is slow.
    if (this.#rows.size >= this.#limits.most) this.#rows.clear();
    this.#rows.set(key, { value, until: performance.now() + this.#limits.lifetime });
  }
}
