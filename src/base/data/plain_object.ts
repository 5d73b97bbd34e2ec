/**
 * Tests for plain data objects.
 *
 * @module
 */

/**
 * Reports whether a value is an object literal or an object without a prototype, as opposed to an instance of a class.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reports whether a parsed JSON value is an object rather than `null` or an array. */
export function isJSONObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
