/**
 * Telling promises from other values.
 *
 * @module
 */

/**
 * Reports whether a value is a promise, or acts like one.
 *
 * @param value Any value.
 * @returns True when it has a `then` method.
 */
export function isThenable(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
