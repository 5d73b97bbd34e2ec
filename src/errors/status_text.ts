/**
 * The reason phrases of status codes, such as "Not Found" for 404.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";

/** The phrases in RFC 9110 that differ from those in `@std/http`. */
const current: Readonly<Record<number, string>> = { 413: "Content Too Large", 422: "Unprocessable Content" };

/**
 * Returns the message of an error, unless it is only the default message for the status.
 *
 * @returns The message, or an empty string.
 */
export function ownMessage(error: Error | undefined, status: number): string {
  return error === undefined || error.message === statusText(status) ? "" : error.message;
}

/** Returns the reason phrase of a status code. */
export function statusText(status: number): string {
  return current[status] ?? STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
}
