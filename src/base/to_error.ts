/**
 * Thrown values as errors.
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
