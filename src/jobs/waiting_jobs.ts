/**
 * The waiting jobs of a queue in memory, in the order in which they start.
 *
 * @module
 */

import type { JobRecord } from "./store.ts";

/** A job in memory. */
export interface Row {
  /** The current properties. They are replaced when the job changes. */
  job: JobRecord;
  /** The order of addition. */
  readonly order: number;
  keepUntil: number | null;
}

/** An entry of a heap. It is outdated if the job has changed since. */
interface Entry {
  readonly row: Row;
  readonly job: JobRecord;
}

/** The waiting jobs of a queue. */
export class WaitingJobs {
  readonly #ready = new Heap<Entry>(isFirst);
  readonly #later = new Heap<Entry>(isDue);

  add(row: Row): void {
    this.#later.push({ row, job: row.job });
  }

  /**
   * Offers the jobs that are due, in order.
   *
   * @param now The current time.
   * @param offer Takes a job, skips it, or stops.
   */
  take(now: number, offer: (row: Row) => "take" | "skip" | "stop"): void {
    while (this.nextDue() <= now) this.#ready.push(this.#later.pop() as Entry);
    const skipped: Entry[] = [];
    for (let entry = this.#ready.pop(); entry !== undefined; entry = this.#ready.pop()) {
      if (entry.job !== entry.row.job) continue;
      const answer = offer(entry.row);
      if (answer !== "take") skipped.push(entry);
      if (answer === "stop") break;
    }
    for (const entry of skipped) this.#ready.push(entry);
  }

  /** Returns the time at which the next job becomes due, or infinity. */
  nextDue(): number {
    let first = this.#later.peek();
    for (; first !== undefined && first.job !== first.row.job; first = this.#later.peek()) this.#later.pop();
    return first?.job.Due ?? Infinity;
  }
}

function isFirst({ job: a, row: { order: i } }: Entry, { job: b, row: { order: j } }: Entry): boolean {
  return (b.Priority - a.Priority || a.Due - b.Due || i - j) < 0;
}

function isDue({ job: a }: Entry, { job: b }: Entry): boolean {
  return a.Due < b.Due;
}

/** A list whose first item can be taken quickly. */
class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** Returns the first item without removing it. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(item, items[parent] as T)) break;
      items[at] = items[parent] as T;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes the first item and returns it. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop() as T;
    if (items.length > 0) this.#sink(last);
    return first;
  }

  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child++;
      if (!this.#isBefore(items[child] as T, item)) break;
      items[at] = items[child] as T;
      at = child;
    }
    items[at] = item;
  }
}
