/**
 * The body of an error that nobody wrote one for.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { Chain, start } from "../context/chain.ts";
import { type Context, draftOf, isErrorPublic, rerun, routeOf, siteOf } from "../context/context.ts";
import { isWritten, writeTyped } from "../response/draft.ts";
import { fail } from "../context/failure.ts";
import { toJSON } from "../base/json.ts";
import { ValidationError } from "../context/problem.ts";

/** Says whether the answer is an error without a body. */
export function needsPage(ctx: Context): boolean {
  const draft = draftOf(ctx);
  return draft.status >= 400 && !isWritten(draft);
}

/** Lets the error handlers of the nearest party write the body, once: one that fails itself gets the bare status. */
export async function writePage(ctx: Context): Promise<void> {
  if (!needsPage(ctx)) return;
  const draft = draftOf(ctx);
  const { status } = draft;
  const handlers = routeOf(ctx).scope.errorChain(status);
  if (handlers !== undefined) {
    try {
      await start(ctx, rerun(ctx, new Chain(handlers)), draft);
      // A page returned as `new Response(html)` says nothing of the status: it is still that of the error.
      if (draft.response !== undefined && draft.status === 200) draft.status = status;
    } catch (error) {
      fail(ctx, error);
    }
  }
  if (needsPage(ctx)) writeDefault(ctx);
}

/** The body where nobody wrote one: the message of an error that is for the client's eyes, else the status text. */
export function writeDefault(ctx: Context): void {
  // The type that a handler had in mind was for a body that never came.
  draftOf(ctx).type = "";
  const error = ctx.GetErr();
  if (error instanceof ValidationError) {
    return writeTyped(draftOf(ctx), toJSON(error.Problem()), "application/problem+json");
  }
  const { status } = draftOf(ctx);
  const message = isErrorPublic(ctx) ? error?.message ?? "" : "";
  const text = message !== "" ? message : STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
  writeTyped(draftOf(ctx), text, siteOf(ctx).textType);
}
