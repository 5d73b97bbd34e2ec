/**
 * What was found right a moment ago.
 *
 * @module
 */

/** How long something counts as right, in milliseconds, and how much is remembered. */
export interface RecentlyLimits {
  readonly lifetime: number;
  readonly most: number;
}

/** Remembers values for a short while, in bounded memory. */
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
    // All at once: the oldest of a Map is slow to find.
    if (this.#rows.size >= this.#limits.most) this.#rows.clear();
    this.#rows.set(key, { value, until: performance.now() + this.#limits.lifetime });
  }
}
