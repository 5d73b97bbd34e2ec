/**
 * Middleware that applies only to some requests.
 *
 * @module
 */

import { assertFunction, returnedBoolean } from "../base/config/returned.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { insertNext } from "../core/exchange/chain/chain.ts";

/** A condition on a request. */
export type Filter = (ctx: Context) => boolean | Promise<boolean>;

/**
 * Creates middleware that runs handlers only if a condition is met. Otherwise, the next handler of the route runs.
 *
 * @param filter The condition.
 * @param handlers The handlers. Each of them calls `ctx.Next()` to continue, and the last one thereby continues with
 * the next handler of the route.
 * @returns The middleware.
 * @throws {FrameworkError} If the condition or a handler is not a function.
 *
 * @example Greet administrators
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * const isAdmin: fw.Filter = (ctx) => ctx.URLParam("admin") === "true";
 * app.Use(fw.NewConditionalHandler(isAdmin, (ctx) => {
 *   ctx.WriteString("Hello admin, ");
 *   return ctx.Next();
 * }));
 * app.Get("/", (ctx) => ctx.WriteString("welcome"));
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "welcome"
 * await (await app.fetch(new Request("http://localhost/?admin=true"))).text(); // → "Hello admin, welcome"
 * ```
 */
export function NewConditionalHandler(filter: Filter, ...handlers: Handler[]): Handler {
  for (const each of [filter, ...handlers]) assertFunction(each, "a conditional handler");
  return async function conditional(ctx) {
    if (returnedBoolean(await filter(ctx), "a Filter")) insertNext(exchangeOf(ctx).chain, handlers);
    await ctx.Next();
  };
}
