/**
 * The observers of `app.OnError`.
 *
 * @module
 */

import { toError } from "../base/to_error.ts";
import type { Context } from "../context/context.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Observes a failure of a request, such as an error tracker does.
 *
 * @param ctx The request's context. The response may have been sent, so it can only be read.
 * @param error The error.
 */
export type ErrorObserver = (ctx: Context, error: Error) => void | Promise<void>;

/**
 * Creates the function that tells all observers. An observer that fails is logged and disturbs nothing else.
 *
 * @param observers The observers.
 * @param logger Where an observer's failure is logged.
 * @param trailing The work that a shutdown waits for.
 * @returns The function, or `undefined` if there are no observers.
 */
export function tellObservers(
  observers: readonly ErrorObserver[],
  logger: Logger,
  trailing: Set<Promise<void>>,
): ((ctx: Context, error: Error) => void) | undefined {
  if (observers.length === 0) return undefined;
  return function tell(ctx, error) {
    for (const observe of observers) {
      const telling = Promise.try(observe, ctx, error)
        .catch((thrown) => logger.Error("Cannot observe a failure:", toError(thrown)))
        .finally(() => trailing.delete(telling));
      trailing.add(telling);
    }
  };
}
