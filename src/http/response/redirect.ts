/**
 * Redirects.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { type Draft, isShut, resetBody, setHeader } from "./draft.ts";

/**
 * Turns the response into a redirect.
 *
 * @throws {FrameworkError} If the status is not a redirect status.
 */
export function redirect(draft: Draft, url: string, status: number): void {
  if (!redirectStatuses.has(status)) {
    throw new FrameworkError(
      "FW_STATUS",
      `Cannot redirect with status "${String(status)}": it is not a redirect status`,
    );
  }
  if (isShut(draft)) return;
  resetBody(draft);
  setHeader(draft, "location", escapeLocation(url));
  draft.status = status;
}

/**
 * Escapes characters that are not allowed in a `Location` header. Line breaks are not escaped, because the header
 * validation rejects them. Tabs are escaped because browsers remove them, and `/<tab>/host` would lead to another site.
 *
 * @returns The URL in ASCII.
 */
export function escapeLocation(url: string): string {
  return url.toWellFormed().replace(/[^\0-\x7f]+|[\t "<>\\^`{|}]/gu, encodeURIComponent);
}

/** Returns the status of a permanent redirect. With 301, browsers repeat a POST request as a GET request. */
export function movedStatus(method: string): number {
  return method === "GET" || method === "HEAD" ? 301 : 308;
}

/** The redirect status codes. */
export const redirectStatuses: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);
