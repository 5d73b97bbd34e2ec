/**
 * Errors for request bodies that are too large, malformed or already consumed.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";

/**
 * Creates the error for a body that is too large.
 *
 * @param act The failed action, such as `read the request body`.
 * @param state The exceeded limit.
 * @returns An error with status 413.
 */
export function tooLarge(act: string, state: string): HTTPError {
  return new HTTPError(413, `Cannot ${act}: ${state}`, { Code: "FW_LIMIT" });
}

/**
 * Creates the error for a malformed body.
 *
 * @param act The failed action, such as `read the multipart form`.
 * @param state A description of the problem.
 * @param cause The platform's error. It is logged but not sent.
 * @returns An error with status 400.
 */
export function malformed(act: string, state: string, cause?: unknown): HTTPError {
  return new HTTPError(400, `Cannot ${act}: ${state}`, { Code: "FW_BODY", cause });
}

/**
 * Checks the name and the value of a form field. Text with a NUL character cannot be entered in a page. SQLite returns
 * it only up to that character, and PostgreSQL rejects it.
 *
 * @param act The failed action, such as `read the multipart form`.
 * @param name The name of the field.
 * @param value The value of the field.
 * @param noun The term for the field in the message.
 * @throws {HTTPError} With status 400 if one of them contains a NUL character.
 */
export function checkField(act: string, name: string, value: string, noun = "field"): void {
  if (!name.includes("\0") && !value.includes("\0")) return;
  throw malformed(act, `the ${noun} "${name.replaceAll("\0", "\ufffd")}" contains a NUL character`);
}

/**
 * Creates the error for a body that was cut off.
 *
 * @param cause The platform's error. It is logged but not sent.
 * @returns An error with status 400.
 */
export function connectionLost(cause: unknown): HTTPError {
  const error = malformed("read the request body", "the connection was closed before the end of the body", cause);
  lost.add(error);
  return error;
}

const lost = new WeakSet<Error>();

/**
 * Reports whether an error means that the client has closed its connection before the end of the body: an error of
 * `connectionLost`, or the platform's own error if a handler has read the body from the `Request`.
 */
export function isConnectionLost(error: Error): boolean {
  return lost.has(error) ||
    error instanceof Deno.errors.BadResource && error.message === "Cannot read body as underlying resource unavailable";
}
