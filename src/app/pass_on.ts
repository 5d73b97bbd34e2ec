/**
 * Handlers that go on by themselves: those of `Done` run without being called for.
 *
 * @module
 */

import { isThenable } from "../base/promises.ts";
import { accept } from "../context/chain.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";

/** Wraps a handler so that the next one runs after it, unless it called `ctx.Next()` itself or stopped the chain. */
export function passingOn(handler: Handler): Handler {
  return function (ctx) {
    const exchange = exchangeOf(ctx);
    const { chain } = exchange;
    const before = chain.index;
    const result = handler(ctx);
    if (isThenable(result)) return passOnLater(ctx, before, result);
    accept(exchange, result);
    return chain.index === before ? ctx.Next() : undefined;
  };
}

async function passOnLater(ctx: Context, before: number, result: Promise<void | Response>): Promise<void> {
  const exchange = exchangeOf(ctx);
  accept(exchange, await result);
  if (exchange.chain.index === before) await ctx.Next();
}
