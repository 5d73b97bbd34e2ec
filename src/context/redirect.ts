/**
 * Where an answer may send the client.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Context } from "./context.ts";
import { type Draft, resetBody, setHeader } from "../response/draft.ts";

/** Turns the answer into a redirect and ends the chain. */
export function redirect(ctx: Context, draft: Draft, url: string, status: number): void {
  if (![300, 301, 302, 303, 307, 308].includes(status)) {
    throw new FrameworkError("FW_STATUS", `Cannot redirect with status "${status}": it is not one of a redirect`);
  }
  resetBody(draft);
  setHeader(draft, "location", escapeLocation(url));
  draft.status = status;
  ctx.StopExecution();
}

/**
 * Escapes what a `Location` cannot carry as it is. Line breaks are left for the header check to refuse. A browser drops
 * tabs: `/<tab>/host` would be another site.
 *
 * @returns The address, ASCII only.
 */
export function escapeLocation(url: string): string {
  return url.toWellFormed().replace(/[^\0-\x7f]+|[\t "<>\\^`{|}]/gu, encodeURIComponent);
}
