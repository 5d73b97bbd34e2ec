/**
 * The reason phrases of status codes, such as "Not Found" for 404.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";

/** Returns the reason phrase of a status code. */
export function statusText(status: number): string {
  return STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
}
