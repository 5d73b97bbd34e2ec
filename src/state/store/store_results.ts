/**
 * Checks the results of shared stores. A store may be implemented by the application, and a result of the wrong type is
 * treated as a failure of the store.
 *
 * @module
 */

import { isBoolean } from "../../base/async/callback.ts";

export { isBoolean };

/** Reports whether a value is a stored text, or `null`. */
export function isText(value: unknown): boolean {
  return value === null || typeof value === "string";
}

/** Reports whether a value is a counter. It may be negative. */
export function isCounter(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

/** Reports whether a value is the result of `Take`. */
export function isTaken(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { Allowed, Remaining, RetryAfter, Reset } = value as Record<string, unknown>;
  return isBoolean(Allowed) && [Remaining, RetryAfter, Reset].every(Number.isFinite);
}
