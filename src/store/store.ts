/**
 * What a shared store must do: rates, counters and short texts that all requests, processes or machines see alike.
 *
 * @module
 */
import type { Awaitable } from "./awaitable.ts";
import type { Rate, Taken } from "./rate.ts";

/**
 * Where guards keep what must hold for all requests: how many are left, which token is blocked, what was used once.
 *
 * Every call is atomic: **whatever calls run at the same time, the store ends as if they had run one after another.** A
 * key holds one value and a time to live, by the store's own clock. A key may have any length and any characters.
 *
 * @example A store in memory
 * ```ts
 * import * as store from "@fw/web/store";
 *
 * const shared: store.Store = store.NewMemory();
 * await shared.Create("once", "first", 60_000); // → true
 * await shared.Create("once", "second", 60_000); // → false
 * await shared.Get("once"); // → "first"
 * ```
 */
export interface Store {
  /**
   * Asks whether one more request fits into a rate, and counts it if so.
   *
   * @param key What is limited, such as an address.
   * @param rate How many in which time.
   * @returns Whether it is allowed, and what is left. What is not allowed is not counted.
   */
  Take(key: string, rate: Rate): Awaitable<Taken>;
  /**
   * Adds to a counter.
   *
   * @param key The counter; what holds no number counts as zero.
   * @param n How much to add.
   * @param lifetime How long the counter lives from its first call on, in milliseconds.
   * @returns Its value afterwards.
   */
  Increment(key: string, n: number, lifetime: number): Awaitable<number>;
  /**
   * Reads a text.
   *
   * @param key Its key.
   * @returns The text, or `null` when there is none or it has expired.
   */
  Get(key: string): Awaitable<string | null>;
  /**
   * Keeps a text, in place of what the key held.
   *
   * @param key Its key.
   * @param text The text.
   * @param lifetime How long it lives, in milliseconds.
   */
  Set(key: string, text: string, lifetime: number): Awaitable<void>;
  /**
   * Keeps a text unless the key holds something. Of any number of callers at the same time, exactly one gets `true`.
   *
   * @param key Its key.
   * @param text The text.
   * @param lifetime How long it lives, in milliseconds.
   * @returns False, with nothing done, when the key holds something.
   */
  Create(key: string, text: string, lifetime: number): Awaitable<boolean>;
  /**
   * Forgets a key.
   *
   * @param key The key.
   * @returns False when it held nothing.
   */
  Delete(key: string): Awaitable<boolean>;
  /**
   * Whether the store may drop a key before it expires, to make room for others; a function if only the server behind
   * the store knows. If omitted, the store keeps every key until it expires or is deleted. Guards that rely on a key,
   * such as a list of blocked tokens, refuse a store that evicts.
   */
  readonly Evicts?: boolean | (() => Awaitable<boolean>);
  /** Lets go of files and connections. No call may follow. */
  Close?(): Awaitable<void>;
}
