/**
 * The text of a status: what `404` is called.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";

/** The text of a status. */
export function statusText(status: number): string {
  return STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
}
