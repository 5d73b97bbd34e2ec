/**
 * One timer for the idle time of all connections.
 *
 * @module
 */

/** How many parts the connections are divided into: each tick looks at one of them. */
const SLOTS = 16;

/** Looks at every member once per period. A timer for each connection would cost 5 KiB of memory. */
export class Wheel<T> {
  readonly #visit: (member: T) => void;
  readonly #tick: number;
  readonly #slots: Set<T>[] = Array.from({ length: SLOTS }, () => new Set<T>());
  #size = 0;
  #at = 0;
  #next = 0;
  #timer: ReturnType<typeof setInterval> | undefined = undefined;

  /**
   * Creates a wheel that stands still.
   *
   * @param period How often each member is visited, in milliseconds.
   * @param visit What looks at a member.
   */
  constructor(period: number, visit: (member: T) => void) {
    this.#tick = Math.max(10, Math.min(period, 2 ** 31 - 1) / SLOTS);
    this.#visit = visit;
  }

  /** Adds a member; returns its slot. */
  add(member: T): number {
    const slot = this.#next++ % SLOTS;
    this.#slots[slot]?.add(member);
    if (this.#size++ === 0) {
      this.#timer = setInterval(() => this.#turn(), this.#tick);
      Deno.unrefTimer(this.#timer);
    }
    return slot;
  }

  /** Removes a member from the slot that `add` returned. */
  remove(slot: number, member: T): void {
    if (this.#slots[slot]?.delete(member) !== true || --this.#size > 0) return;
    clearInterval(this.#timer);
  }

  #turn(): void {
    this.#at = (this.#at + 1) % SLOTS;
    for (const member of this.#slots[this.#at] ?? []) this.#visit(member);
  }
}
