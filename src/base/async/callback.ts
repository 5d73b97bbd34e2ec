/**
 * Calls functions of the application whose result fw uses for its own bookkeeping. Such a function may throw, reject,
 * return a value of the wrong type, or never settle.
 *
 * @module
 */

import { isThenable } from "./thenable.ts";

/**
 * Calls a function that must return a value at once.
 *
 * @param call Calls the function.
 * @param isValid Reports whether a value can be used.
 * @param otherwise Returns the value to use instead. Its argument is the reason.
 * @returns The value, or the one that is used instead.
 */
export function callNow<T>(
  call: () => unknown,
  isValid: (value: unknown) => value is T,
  otherwise: (reason: unknown) => T,
): T {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    return otherwise(error);
  }
  if (isValid(value)) return value;
  ignoreRejection(value);
  return otherwise(new TypeError(`The function returned ${describe(value)}`));
}

/**
 * Ignores the rejection of a promise that was returned instead of a value. An unhandled rejection ends the process.
 *
 * @param value The returned value.
 */
export function ignoreRejection(value: unknown): void {
  notify(() => value, () => {});
}

/**
 * Calls a function whose result is not used, such as an observer. Nothing waits for its promise.
 *
 * @param call Calls the function.
 * @param report Receives the error if the function throws or its promise rejects.
 * @returns A promise that resolves when that of the function has settled, or `undefined` if it has returned none.
 */
export function notify(call: () => unknown, report: (error: unknown) => void): PromiseLike<unknown> | undefined {
  try {
    const result = call();
    if (isThenable(result)) return result.then(undefined, report);
  } catch (error) {
    report(error);
  }
}

/**
 * Describes a value in a message, without its content, which may be confidential.
 *
 * @param value The value.
 */
export function describe(value: unknown): string {
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (isThenable(value)) return "a promise";
  return typeof value === "undefined" ? "undefined" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

/** Reports whether a value is a boolean. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Reports whether a value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Reports whether a value is an integer from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The latest time of a `Date`, in milliseconds since 1970. */
export const latestTime = 8.64e15;

/** Reports whether a value is a time in milliseconds since 1970 that a `Date` can hold. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= latestTime;
}

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
