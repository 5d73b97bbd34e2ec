/**
 * Detects promises in values that are to be serialized.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { FrameworkError } from "../errors/errors.ts";

/**
 * Throws if a value is a promise, or an object or array that directly contains one. It would be serialized as an empty
 * object, because an `await` is missing.
 *
 * @param value The value to serialize.
 * @param format The name of the format, for the error message.
 */
export function assertSettled(value: unknown, format: string): void {
  if (isThenable(value)) throw pendingError(format, "the value");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item instanceof Promise) throw pendingError(format, Array.isArray(value) ? "an array item" : `"${name}"`);
  }
}

/** Creates the error for a promise in a value. */
export function pendingError(format: string, what: string): FrameworkError {
  return new FrameworkError(
    "FW_STATE",
    `Cannot serialize ${format}: ${what} is a promise, probably because of a missing await`,
  );
}
