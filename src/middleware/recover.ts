/**
 * Middleware that survives what handlers throw.
 *
 * @example A failing handler responds with 500 and tells nothing
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

import { type Context, exchangeOf } from "../context/context.ts";
import { fail } from "../context/failure.ts";
import type { Handler } from "../context/handler.ts";

/** What the middleware does beside responding. */
export interface Options {
  /** Called with every error that was caught, for a reporter of one's own; the log has it already. */
  OnError?: (ctx: Context, error: unknown) => void;
}

/**
 * Creates middleware that catches what later handlers throw: it logs the stack, responds with 500 and stops the chain.
 * An `HTTPError` responds with its own status and message.
 *
 * @param options What it does beside.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  function caught(ctx: Context, error: unknown): void {
    fail(exchangeOf(ctx), error);
    options.OnError?.(ctx, error);
  }
  return function recover(ctx) {
    try {
      return ctx.Next()?.catch((error) => caught(ctx, error));
    } catch (error) {
      caught(ctx, error);
    }
  };
}
