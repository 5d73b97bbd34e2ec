/**
 * Thrown values as errors.
 *
 * @module
 */

/**
 * Makes sure that an error slot holds an error.
 *
 * @param thrown What was thrown.
 * @returns The value itself if it is an error, else one that has it as its cause.
 */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A value that is no Error was thrown", { cause: thrown });
}
