/**
 * Functions that receive the objects that methods return before they are written.
 *
 * @module
 */

import type { ResultHandler, ResultMiddleware } from "../../src/app/api_container.ts";
import { isThenable } from "../../src/async/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import { type ErrorHandler, failWith, respondWithError } from "./returned_error.ts";

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
export function handleResult(
  ctx: Context,
  value: object,
  how: Responding,
  results: ResultHandler,
): Promise<void> | undefined {
  requests.set(ctx, how);
  const outcome = results(ctx, value);
  const end = (error: unknown) => error instanceof Error ? failWith(ctx, error, how.failed) : undefined;
  return isThenable(outcome) ? Promise.resolve(outcome).then(end) : end(outcome);
}
