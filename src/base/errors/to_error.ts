/**
 * Converts thrown values to errors and messages. JavaScript code can throw any value.
 *
 * @module
 */

/**
 * Converts a thrown value to an error.
 *
 * @param thrown The thrown value.
 * @returns The value itself if it is an error; otherwise a new error with the value as its cause.
 */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown", { cause: thrown });
}

/**
 * Returns the message of a thrown value.
 *
 * @param thrown The thrown value. Its conversion to a string may fail, as that of an object without a prototype does.
 * @returns The error's message, or the value converted to a string.
 */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "[object]";
  }
}

/**
 * Returns the message of a thrown value for a terminal. If it is one of fw's errors, its code follows.
 *
 * @param thrown The thrown value.
 * @returns A string such as `Cannot listen on ":80": permission denied [FW_LISTEN]`.
 */
export function codedMessage(thrown: unknown): string {
  const { Code } = Object(thrown) as { readonly Code?: unknown };
  return messageOf(thrown) + (thrown instanceof Error && typeof Code === "string" ? ` [${Code}]` : "");
}
