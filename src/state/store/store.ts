/**
 * The interface of shared stores, their results and their keys.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { methods, type Option } from "../../base/config/option_kinds.ts";
import type { Rate, Taken } from "./rate.ts";

/** The maximum length of a key that is stored as is. */
const longest = 160;

/**
 * Limits the length of a key. Otherwise, a client that can choose keys, for example with a header of 8 KB, could
 * control how much memory a store uses.
 *
 * @param key The key.
 * @returns The key itself, or a digest of it.
 */
export function boundedKey(key: string): string {
  if (key.length <= longest) return key;
  return `sha256:${createHash("sha256").update(key.toWellFormed()).digest("base64url")}`;
}

/**
 * Copies a string. A substring of a header would keep the whole header in memory.
 *
 * @param text The string.
 * @returns A copy with its own memory.
 */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/**
 * A store for state shared by all requests, such as rate limits, blocked tokens and one-time values.
 *
 * Every call is atomic: **no matter which calls run concurrently, the result is the same as if they had run one after
 * another.** A key holds a single value and a lifetime, by the store's own clock. Keys can have any length and contain
 * any characters.
 *
 * @example Use a store in memory
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
   * Checks whether another request is within a rate and counts it if so.
   *
   * @param key The key to limit by, such as an IP address.
   * @param rate The rate.
   * @returns Whether the request is allowed, and the remaining requests. A refused request is not counted.
   */
  Take(key: string, rate: Rate): Awaitable<Taken>;
  /**
   * Adds to a counter.
   *
   * @param key The key of the counter. A value that is not a number is treated as 0.
   * @param n The number to add.
   * @param lifetime The lifetime of the counter from its first call on, in milliseconds.
   * @returns The new value.
   */
  Increment(key: string, n: number, lifetime: number): Awaitable<number>;
  /**
   * Returns a string.
   *
   * @param key The key.
   * @returns The string, or `null` if there is none or it has expired.
   */
  Get(key: string): Awaitable<string | null>;
  /**
   * Stores a string, replacing any previous value.
   *
   * @param key The key.
   * @param text The string.
   * @param lifetime The lifetime, in milliseconds.
   */
  Set(key: string, text: string, lifetime: number): Awaitable<void>;
  /**
   * Stores a string unless the key already has a value. If several calls are concurrent, exactly one of them returns
   * `true`.
   *
   * @param key The key.
   * @param text The string.
   * @param lifetime The lifetime, in milliseconds.
   * @returns `false` if the key already has a value, which is not changed.
   */
  Create(key: string, text: string, lifetime: number): Awaitable<boolean>;
  /**
   * Deletes a key.
   *
   * @param key The key.
   * @returns Whether the key had a value.
   */
  Delete(key: string): Awaitable<boolean>;
  /**
   * Whether the store may evict a key before it expires in order to store others. It can be a function if only the
   * store's server knows. If omitted, the store keeps every key until it expires or is deleted. Guards that depend on
   * this, such as the list of blocked tokens, reject a store that evicts keys.
   */
  readonly Evicts?: boolean | (() => Awaitable<boolean>);
  /** Closes files and connections. The store must not be used afterwards. */
  Close?(): Awaitable<void>;
}

/** The row of options that accept a store. */
export const storeOption: Option<Store, undefined> = methods("Take", "Increment", "Get", "Set", "Create", "Delete");

/**
 * A value or a promise for it. An in-memory store returns the value directly, and a networked store returns a promise.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls a function with the value, synchronously unless the value is a promise. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
