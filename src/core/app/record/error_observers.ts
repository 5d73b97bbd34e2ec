/**
 * The `app.OnError` observers.
 *
 * @module
 */

import { toError } from "../../../base/errors/to_error.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { trail } from "../../exchange/peer/outer_call.ts";

/**
 * A function that observes failed requests, such as an error tracker.
 *
 * @param ctx The request context. It is read-only, because the response may already have been sent.
 * @param error The error.
 */
export type ErrorObserver = (ctx: Context, error: Error) => unknown;

/**
 * Creates the function that notifies all observers. If an observer fails, the failure is logged and has no other
 * effect.
 *
 * @param observers The observers.
 * @param logger The logger for failing observers.
 * @returns The function, or `undefined` if there are no observers.
 */
export function observerNotifier(
  observers: readonly ErrorObserver[],
  logger: Logger,
): ((ctx: Context, error: Error) => void) | undefined {
  if (observers.length === 0) return undefined;
  return function notify(ctx, error) {
    for (const observe of observers) {
      const notifying = Promise.try(observe, ctx, error)
        .catch((thrown) => logger.Error("Cannot run an error observer:", toError(thrown)));
      trail(exchangeOf(ctx).target, notifying);
    }
  };
}
