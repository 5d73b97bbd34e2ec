/**
 * Iterators of values that an application returns.
 *
 * @module
 */

import { describe, ignoreRejection } from "./callback.ts";

/**
 * Returns the iterator of a value that should be iterable.
 *
 * @param value The value. If it is a promise, its rejection is ignored.
 * @throws {TypeError} If the value is not iterable.
 */
export function iteratorOf<T>(value: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(value);
  if (typeof later === "function") return later.call(value);
  if (typeof now === "function") return now.call(value);
  ignoreRejection(value);
  throw new TypeError(`The source is ${describe(value)}, which cannot be iterated over`);
}
