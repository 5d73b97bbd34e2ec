/**
 * What becomes of an error that a handler threw.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { type Context, draftOf, setError } from "./context.ts";
import { resetBody } from "../response/draft.ts";

/**
 * Turns a thrown value into the answer. An `HTTPError` was made for the client; of anything else the client learns
 * nothing but the status, and the log everything.
 */
export function fail(ctx: Context, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error("A value that is no Error was thrown", { cause: thrown });
  const isPublic = error instanceof HTTPError;
  const draft = draftOf(ctx);
  resetBody(draft);
  draft.status = isPublic ? error.Status : 500;
  setError(ctx, error, isPublic);
  ctx.StopExecution();
  if (!isPublic) ctx.Application().Logger().Error(`Cannot answer ${ctx.Method()} ${ctx.Path()}:`, error);
}
