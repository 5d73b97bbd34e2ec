/**
 * Errors for request bodies that are too large, malformed or already consumed.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../../base/errors/errors.ts";

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
 * Creates the error for a body that is too large to be parsed as JSON, XML or a similar format.
 *
 * @param limit The maximum size, in bytes.
 * @param format The name of the format.
 * @returns An error with status 413.
 */
export function jsonTooLarge(limit: number, format = "JSON"): HTTPError {
  return tooLarge(
    `read the request body as ${format}`,
    `it is larger than ${limit} bytes; use fw.LimitDocument to set the limit of a route, or fw.WithMaxDocument for all`,
  );
}

/** Adds the name of the option that raises the limit to the error of a body that is larger than the limit for JSON. */
export function jsonFailure(error: unknown, limit: number, format: string): unknown {
  return error instanceof HTTPError && error.Status === 413 ? jsonTooLarge(limit, format) : error;
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

/**
 * Creates the error for a body that was read directly from the platform's `Request`.
 *
 * @returns The error.
 */
export function bodyTaken(): FrameworkError {
  return new FrameworkError(
    "FW_STATE",
    "Cannot read the request body: it was already read from the platform's Request",
  );
}
