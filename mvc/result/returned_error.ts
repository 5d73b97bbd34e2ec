/**
 * What becomes of an error that a controller method returns.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import { resetBody } from "../../src/response/draft.ts";

/** Writes the response to an error; the status is set before it is called. */
export type ErrorHandler = (ctx: Context, error: Error) => void | Promise<void>;

const BAD_REQUEST = 400;

/**
 * Hands an error to its handler, with the status set.
 *
 * The status is the one returned beside the error, the error's own, the one set before, or 400: the first that is an
 * error's.
 *
 * @param ctx The request.
 * @param error The error.
 * @param handler What responds to it.
 * @param status The status that was returned beside it.
 */
export function failWith(
  ctx: Context,
  error: Error,
  handler: ErrorHandler,
  status?: number,
): Promise<void> | undefined {
  const before = ctx.GetStatusCode();
  ctx.StatusCode(isErrorStatus(status) ? status : statusOf(error) ?? (before >= BAD_REQUEST ? before : BAD_REQUEST));
  return handler(ctx, error) ?? undefined;
}

/** Responds with the error's message and stops the chain; an error handler for the status may write another body. */
export function respondWithError(ctx: Context, error: Error): void {
  resetBody(exchangeOf(ctx).draft);
  ctx.StopExecution();
  ctx.SetErr(error);
}

/**
 * The status that an error brings along, as an `HTTPError` does.
 *
 * @param error The error.
 * @returns The status, if it has one of 400 or more.
 */
export function statusOf(error: Error): number | undefined {
  const status: unknown = "Status" in error ? error.Status : undefined;
  return isErrorStatus(status) ? status : undefined;
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= BAD_REQUEST && status <= 599;
}
