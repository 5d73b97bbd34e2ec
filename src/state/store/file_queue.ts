/**
 * A queue for operations on a SQLite file that another process may have locked. An operation runs immediately if
 * possible, and otherwise in order, without blocking this process.
 *
 * SQLite's own busy timeout blocks the thread. In a test with 50 sessions waiting for a file that was locked for 2.5 s,
 * every retry blocked the thread, and all other routes waited for more than a second. Here, a single timer serves all
 * waiting calls, and only the first one in the queue is retried.
 *
 * @module
 */
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { Awaitable } from "./store.ts";
import { isBusy } from "./sqlite_file.ts";

/** The default time limit for waiting for other processes, in milliseconds. */
const defaultPatience = 900;
/** The first and the longest pause between attempts, in milliseconds. Most writes take less than one. */
const shortestPause = 1;
const longestPause = 20;
/** The maximum time spent on the queue before other requests can run, in milliseconds. */
const longestTurn = 5;

/** A waiting call. */
interface Waiter {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly end: number;
}

/** The queue of one file. */
export class FileQueue {
  readonly #patience: number;
  #waiters: Waiter[] = [];
  #pause = shortestPause;

  /**
   * Creates a queue.
   *
   * @param patience The time limit for waiting for other processes, in milliseconds.
   */
  constructor(patience: number = defaultPatience) {
    this.#patience = patience;
  }

  /**
   * Runs the operation immediately if the queue is empty and the file is not locked. Otherwise, the operation runs
   * after all waiting calls.
   */
  inTurn<T>(work: () => T): Awaitable<T> {
    return this.#waiters.length > 0 ? this.#wait(work) : this.atOnce(work);
  }

  /** Runs the operation immediately unless the file is locked. */
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
      const end = performance.now() + this.#patience;
      this.#waiters.push({ work, resolve: resolve as Waiter["resolve"], reject, end });
      if (this.#waiters.length === 1) this.#schedule(shortestPause);
    });
  }

  #schedule(pause: number): void {
    this.#pause = pause;
    // The random factor prevents two waiting processes from colliding repeatedly.
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

  /** Rejects the calls that have waited too long. The others keep waiting. */
  #giveUp(cause: unknown): void {
    const now = performance.now();
    const over = this.#waiters.filter((waiter) => waiter.end <= now);
    this.#waiters = this.#waiters.filter((waiter) => waiter.end > now);
    const message = `Cannot use a SQLite file: ${messageOf(cause)}; another process has been writing for too long`;
    for (const waiter of over) waiter.reject(new FrameworkError("FW_STORE", message, { cause }));
    if (this.#waiters.length > 0) this.#schedule(Math.min(2 * this.#pause || shortestPause, longestPause));
  }
}
