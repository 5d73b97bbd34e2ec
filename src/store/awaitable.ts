/**
 * Going on with a value that may still have to come, without a promise when it need not.
 *
 * @module
 */

/** A value, or a promise of it: a store that lives in the process returns at once, one across a network cannot. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on at once with a value, later with a promise. */
export function goOn<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
