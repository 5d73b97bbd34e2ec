/**
 * Middleware that catches errors thrown by later handlers.
 *
 * @example Respond with 500 without exposing the error
 * ```ts
 * import * as fw from "@fw/web";
 * import * as recover from "@fw/web/middleware/recover";
 *
 * const app = fw.New();
 * app.Logger().SetLevel("disable");
 * app.Use(recover.New());
 * app.Get("/", () => {
 *   throw new Error("the password is sesame");
 * });
 * const response = await app.fetch(new Request("http://localhost/"));
 * response.status; // → 500
 * await response.text(); // → "Internal Server Error"
 * ```
 *
 * @module
 */

import { notify } from "../base/async/callback.ts";
import { func } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { fail, isDeparture } from "../core/exchange/failure.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * Called with every caught error, for example to send it to an error tracker. The error has already been logged.
   * Nothing waits for the callback, and its own errors are logged.
   */
  OnError?: (ctx: Context, error: unknown) => void;
}

const table = optionTable<Options>("middleware/recover.Options", "recover")({ OnError: func() });

/**
 * Creates middleware that catches errors thrown by later handlers. It logs the stack trace, responds with 500 and stops
 * the chain. For an `HTTPError`, it responds with the error's own status and message.
 *
 * @param options The options.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const { OnError } = readOptions(table, options);
  function caught(ctx: Context, error: unknown): void {
    fail(exchangeOf(ctx), error);
    if (isDeparture(exchangeOf(ctx), error)) return;
    notify(
      () => OnError?.(ctx, error),
      (thrown) => ctx.Logger().Error("Cannot run OnError of recover:", thrown),
    );
  }
  return function recover(ctx) {
    try {
      return ctx.Next()?.catch((error) => caught(ctx, error));
    } catch (error) {
      caught(ctx, error);
    }
  };
}
