/**
 * Thrown values as errors and as messages: in JavaScript anything can be thrown.
 *
 * @module
 */

/**
 * Makes sure that an error slot holds an error.
 *
 * @param thrown What was thrown.
 * @returns The value itself if it is an error, else a new error with the value as its cause.
 */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown", { cause: thrown });
}

/**
 * Says in words what was thrown.
 *
 * @param thrown What was thrown.
 * @returns The message of an error, or the value as text.
 */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
