/**
 * One route, folded: its whole chain in one list.
 *
 * @module
 */

import { isThenable } from "../base/thenable.ts";
import { accept } from "../context/chain/chain.ts";
import type { CompiledRoute } from "../context/compiled_route.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { Template } from "../macro/template.ts";
import type { FoldedParty } from "./folded_party.ts";
import type { RouteRecord } from "./registry.ts";

/** Folds a route with the middleware of its party and of the whole application. */
export function compileRoute(
  record: RouteRecord,
  globals: readonly Handler[],
  party: FoldedParty,
): CompiledRoute<Context> {
  return {
    info: record.route,
    routerUses: party.routerUses.length,
    chain: chainOf(record, globals, party),
    names: record.template.names,
    party,
    servesSlash: record.servesSlash,
    servesAny: record.servesAny,
    takesRest: takesRest(record.template),
    readsHeaders: false,
  };
}

function chainOf(record: RouteRecord, globals: readonly Handler[], party: FoldedParty): readonly Handler[] {
  const { handlers, uses, dones } = record;
  const before = party.routerUses.length + globals.length + uses.length;
  // Most routes have nothing around their handlers.
  if (before + dones.length === 0) return handlers;
  const last = dones.length === 0 ? handlers : [
    ...handlers.slice(0, -1),
    ...[...handlers.slice(-1), ...dones].map(passingOn),
  ];
  return [...party.routerUses, ...globals, ...uses, ...last];
}

function takesRest(template: Template): boolean {
  const last = template.segments.at(-1);
  return last?.kind === "param" && last.trailing;
}

/** Wraps a handler so that the next one runs after it, unless it called `ctx.Next()` itself or stopped the chain. */
function passingOn(handler: Handler): Handler {
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
