/**
 * Work on a SQLite file that another process may hold: it is done at once if it can be, else in turn, without ever
 * stopping this process.
 *
 * SQLite's own wait blocks the thread. With 50 sessions waiting for a file that was held for 2.5 s, each retry of each
 * of them blocked it, and all other routes waited for more than a second. Here one timer runs for all that wait, and
 * only the first in the queue is tried.
 *
 * @module
 */
import type { Awaitable } from "./awaitable.ts";
import { isBusy } from "./sqlite_file.ts";

/** How long work waits for other processes before it fails, in milliseconds. */
const patience = 900;
/** The pause before the first new attempt and the longest one, in milliseconds: most writes take less than one. */
const shortestPause = 1;
const longestPause = 20;
/** How much of the queue is done before other requests have their turn, in milliseconds. */
const longestTurn = 5;

/** Work that waits. */
interface Waiter {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly end: number;
}

/** The work on one file. */
export class FileQueue {
  #waiters: Waiter[] = [];
  #pause = shortestPause;

  /** Does the work now if nothing waits and no other process holds the file, else after all that waits. */
  inTurn<T>(work: () => T): Awaitable<T> {
    return this.#waiters.length > 0 ? this.#wait(work) : this.atOnce(work);
  }

  /** Does the work now unless another process holds the file. */
  atOnce<T>(work: () => T): Awaitable<T> {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#wait(work);
    }
  }

  #wait<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = performance.now() + patience;
      this.#waiters.push({ work, resolve: resolve as Waiter["resolve"], reject, end });
      if (this.#waiters.length === 1) this.#schedule(shortestPause);
    });
  }

  #schedule(pause: number): void {
    this.#pause = pause;
    // Random, so that two processes which wait for each other do not meet again and again.
    setTimeout(() => this.#turn(), pause * (0.5 + Math.random()));
  }

  #turn(): void {
    const begin = performance.now();
    for (let first = this.#waiters[0]; first !== undefined; first = this.#waiters[0]) {
      if (performance.now() - begin > longestTurn) return this.#schedule(0);
      try {
        first.resolve(first.work());
      } catch (error) {
        if (isBusy(error)) return this.#giveUp(error);
        first.reject(error);
      }
      this.#waiters.shift();
    }
  }

  /** Fails what has waited for too long; the rest waits on. */
  #giveUp(error: unknown): void {
    const now = performance.now();
    const over = this.#waiters.filter((waiter) => waiter.end <= now);
    this.#waiters = this.#waiters.filter((waiter) => waiter.end > now);
    for (const waiter of over) waiter.reject(error);
    if (this.#waiters.length > 0) this.#schedule(Math.min(2 * this.#pause || shortestPause, longestPause));
  }
}
