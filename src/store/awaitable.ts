/**
 * Values that may be promises, and a function that handles them without creating unnecessary promises.
 *
 * @module
 */

/**
 * A value or a promise for it. An in-memory store returns the value directly, and a networked store returns a promise.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls a function with the value, synchronously unless the value is a promise. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
