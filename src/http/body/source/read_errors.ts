/**
 * The errors of bodies that are read.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../../base/errors/errors.ts";
import { tooLarge } from "./body_errors.ts";

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
