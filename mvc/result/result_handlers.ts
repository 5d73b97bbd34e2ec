/**
 * Handlers for returned errors and objects. They run before the response is written.
 *
 * @module
 */

import { isErrorStatus, statusOf } from "../../src/base/errors/errors.ts";
import type { ResultHandler, ResultMiddleware } from "../../src/core/app/api_container.ts";
import { type Context, exchangeOf } from "../../src/core/context/context.ts";
import { resetBody } from "../../src/http/response/draft.ts";

/** A function that responds to an error. The status code is already set when it is called. */
export type ErrorHandler = (ctx: Context, error: Error) => void | Promise<void>;

const BAD_REQUEST = 400;

/**
 * Sets the status code and passes an error to the error handler.
 *
 * The status code is the first of the following that is an error status: the status returned with the error, the status
 * of the error, and the current status. Defaults to 400.
 *
 * @param ctx The request context.
 * @param error The error.
 * @param handler The error handler.
 * @param status The status code that was returned with the error.
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

/** Responds with the error message and stops the chain. An error handler for the status may write another body. */
export function respondWithError(ctx: Context, error: Error): void {
  resetBody(exchangeOf(ctx).draft);
  ctx.StopExecution();
  ctx.SetErr(error);
}

/** The handlers for writing a response. */
export interface Responding {
  /** Responds to a returned error. */
  readonly failed: ErrorHandler;
  /** Receives returned objects before they are written, if there is one. */
  readonly results?: ResultHandler | undefined;
  /** The content type for objects. Defaults to JSON. */
  readonly type?: string | undefined;
}

/** The state of each request for the innermost handler. Handlers are composed only once, during the build. */
const requests = new WeakMap<Context, Responding>();

/**
 * Composes handlers into one.
 *
 * @param list The handlers, with the outermost one first.
 * @param write Writes the value that the innermost handler passes on.
 * @returns The handler, or `undefined` if there is none.
 */
export function composeResults(
  list: readonly ResultMiddleware[],
  write: (ctx: Context, value: unknown, how: Responding) => Promise<void> | undefined,
): ResultHandler | undefined {
  if (list.length === 0) return undefined;
  return list.reduceRight<ResultHandler>((next, handler) => handler(next), (ctx, value) => {
    const { failed = respondWithError, type } = requests.get(ctx) ?? {};
    return write(ctx, value, { failed, type });
  });
}

/** Passes an object to the handlers. If they return an error, it is handled as if a method had returned it. */
export async function handleResult(
  ctx: Context,
  value: object,
  how: Responding,
  results: ResultHandler,
): Promise<void> {
  requests.set(ctx, how);
  const error: unknown = await results(ctx, value);
  if (error instanceof Error) await failWith(ctx, error, how.failed);
}
