/**
 * Errors that application code returns instead of throwing them.
 *
 * @module
 */

import { HTTPError } from "./errors.ts";

/**
 * Converts a returned error to the one that a client may see. Unlike a thrown error, a returned error is meant for the
 * client.
 *
 * @param error The returned error.
 * @returns The error itself if it has a public form, or an error with its message and its status, which is 400 by
 * default.
 */
export function returnedError(error: Error): HTTPError {
  if (error instanceof HTTPError) return error;
  return new HTTPError(statusOf(error) ?? 400, error.message, { cause: error });
}

/**
 * Returns the status code of an error, such as an `HTTPError`.
 *
 * @param error The error.
 * @returns The status code, if the error has one of 400 or above.
 */
export function statusOf(error: Error): number | undefined {
  const status: unknown = "Status" in error ? error.Status : undefined;
  return isErrorStatus(status) ? status : undefined;
}

/** Reports whether a value is the status code of an error. */
export function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
}
