/**
 * Where a response may send the client.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { type Draft, isShut, resetBody, setHeader } from "./draft.ts";

/** Turns the response into a redirect. */
export function redirect(draft: Draft, url: string, status: number): void {
  if (!redirectStatuses.has(status)) {
    throw new FrameworkError("FW_STATUS", `Cannot redirect with status "${status}": it is not one of a redirect`);
  }
  if (isShut(draft)) return;
  resetBody(draft);
  setHeader(draft, "location", escapeLocation(url));
  draft.status = status;
}

/**
 * Escapes what a `Location` cannot carry as it is. Line breaks are left for the header check to refuse. A browser drops
 * tabs: `/<tab>/host` would be another site.
 *
 * @returns The URL, ASCII only.
 */
export function escapeLocation(url: string): string {
  return url.toWellFormed().replace(/[^\0-\x7f]+|[\t "<>\\^`{|}]/gu, encodeURIComponent);
}

/** The statuses of redirects. */
export const redirectStatuses: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);
