/**
 * Values that may be promises, and a function that continues with them without creating unnecessary promises.
 *
 * @module
 */

/**
 * A value or a promise for it. An in-memory store returns the value directly; a networked store returns a promise.
 */
export type Awaitable<T> = T | Promise<T>;

/** Continues synchronously with a value, or asynchronously with a promise. */
export function goOn<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
