/**
 * Handlers that go on by themselves: those of `Done` run without being called for.
 *
 * @module
 */

import { isThenable } from "../base/thenable.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { adopt } from "../response/draft.ts";

/** Wraps a handler so that the next one runs after it, unless it called `ctx.Next()` itself or stopped the chain. */
export function passingOn(handler: Handler): Handler {
  return function (ctx) {
    const { chain, draft } = exchangeOf(ctx);
    const before = chain.index;
    const result = handler(ctx);
    if (isThenable(result)) return passOnLater(ctx, before, result);
    if (result instanceof Response) adopt(draft, result);
    return chain.index === before ? ctx.Next() : undefined;
  };
}

async function passOnLater(ctx: Context, before: number, result: Promise<void | Response>): Promise<void> {
  const { chain, draft } = exchangeOf(ctx);
  const response = await result;
  if (response instanceof Response) adopt(draft, response);
  if (chain.index === before) await ctx.Next();
}
