/**
 * The errors of a request body that is too large, broken, or read elsewhere.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../base/errors.ts";

/**
 * Creates the error of a body that is larger than allowed.
 *
 * @param act What was tried, such as `read the request body`.
 * @param state What was over which limit.
 * @returns The error, 413.
 */
export function tooLarge(act: string, state: string): HTTPError {
  return new HTTPError(413, `Cannot ${act}: ${state}`, { Code: "FW_LIMIT" });
}

/**
 * Creates the error of a body that is too large to be read as JSON.
 *
 * @param limit How many bytes are allowed.
 * @returns The error, 413.
 */
export function jsonTooLarge(limit: number): HTTPError {
  return tooLarge(
    "read the request body as JSON",
    `it is larger than ${limit} bytes; fw.LimitJSONSize sets the limit of a route, fw.WithMaxJSONSize of all`,
  );
}

/**
 * Creates the error of a body that is not what it claims to be.
 *
 * @param act What was tried, such as `read the multipart form`.
 * @param state What is wrong with it.
 * @param cause The platform's error; only the log shows it.
 * @returns The error, 400.
 */
export function malformed(act: string, state: string, cause?: unknown): HTTPError {
  return new HTTPError(400, `Cannot ${act}: ${state}`, { Code: "FW_BODY", cause });
}

/**
 * Creates the error of a body whose last byte never came.
 *
 * @param cause The platform's error; only the log shows it.
 * @returns The error, 400.
 */
export function connectionLost(cause: unknown): HTTPError {
  return malformed("read the request body", "the connection ended before its last byte", cause);
}

/**
 * Creates the error of a body that was read past fw.
 *
 * @returns The error.
 */
export function bodyTaken(): FrameworkError {
  return new FrameworkError(
    "FW_STATE",
    "Cannot read the request body: it was taken from the platform's request before",
  );
}
