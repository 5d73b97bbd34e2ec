/**
 * The body of an error that no handler wrote one for.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { toJSON } from "../base/json.ts";
import { start } from "../context/chain.ts";
import { type Exchange, replaceChain } from "../context/exchange.ts";
import { fail } from "../context/failure.ts";
import { ValidationError } from "../input/problem.ts";
import { type Draft, isWritten, writeTyped } from "../response/draft.ts";

/** Reports whether the response is an error without a body. */
export function needsPage(draft: Draft): boolean {
  return draft.status >= 400 && !isWritten(draft);
}

/** Lets the error handlers of the nearest party write the body, once: one that fails itself gets the bare status. */
export async function writePage<C>(exchange: Exchange<C>): Promise<void> {
  const { draft } = exchange;
  if (!needsPage(draft)) return;
  const { status } = draft;
  const handlers = exchange.route.party.errorChain(status);
  if (handlers !== undefined) {
    try {
      replaceChain(exchange, handlers);
      await start(exchange);
      // A page returned as `new Response(html)` says nothing of the status: it is still that of the error.
      if (draft.response !== undefined && draft.status === 200) draft.status = status;
    } catch (error) {
      fail(exchange, error);
    }
  }
  if (needsPage(draft)) writeDefault(exchange);
}

/** The default body: the message of an error that the client may see, else the status text. */
export function writeDefault<C>(exchange: Exchange<C>): void {
  const { draft, error } = exchange;
  // The type that a handler had in mind was for a body that never came.
  draft.type = "";
  if (error instanceof ValidationError) {
    return writeTyped(draft, toJSON(error.Problem()), "application/problem+json");
  }
  const { status } = draft;
  const message = exchange.isErrorPublic ? error?.message ?? "" : "";
  const text = message !== "" ? message : STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
  writeTyped(draft, text, exchange.runtime.textType);
}
