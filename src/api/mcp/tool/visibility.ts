/**
 * Decides which tools, prompts and resources a caller sees. The routes that the caller may not call are not listed.
 *
 * @module
 */

import type { RouteRecord } from "../../../core/app/record/registry.ts";
import { Context, exchangeOf } from "../../../core/context/context.ts";
import type { Handler } from "../../../core/context/handler.ts";
import { runChain } from "../../../core/exchange/chain/chain.ts";
import { valuesOf } from "../../../core/exchange/exchange.ts";
import { factsOf } from "../../../core/exchange/handler_facts.ts";
import { copyValues } from "../../../core/exchange/values.ts";
import { handlersOf } from "../../openapi/operation_sources.ts";

/** Returns the guards of a route that decide on the caller alone, such as those that require a user or a role. */
export function guardsOf(record: RouteRecord): readonly Handler[] {
  return handlersOf(record).filter((handler): handler is Handler => {
    const { security, isGuard } = factsOf(handler);
    return security !== undefined || isGuard === true;
  });
}

/**
 * Returns the items that the caller may use. Each combination of guards runs once, with the caller's credentials and
 * without the route's handlers.
 */
export async function visibleTo<T extends { readonly guards: readonly Handler[] }>(
  ctx: Context,
  items: Iterable<T>,
): Promise<T[]> {
  const verdicts = new Map<string, Promise<boolean>>();
  const names = new Map<Handler, number>();
  const nameOf = (guard: Handler) => {
    if (!names.has(guard)) names.set(guard, names.size);
    return names.get(guard);
  };
  const visible: T[] = [];
  for (const item of items) {
    const key = item.guards.map(nameOf).join();
    let verdict = verdicts.get(key);
    if (verdict === undefined) verdicts.set(key, verdict = isAdmitted(ctx, item.guards));
    if (await verdict) visible.push(item);
  }
  return visible;
}

/** Runs guards in a context of their own, which has the values of the request but not its response. */
async function isAdmitted(ctx: Context, guards: readonly Handler[]): Promise<boolean> {
  if (guards.length === 0) return true;
  const { target, route, values, body } = exchangeOf(ctx);
  let isAdmitted = false;
  const chain = [...guards, () => void (isAdmitted = true)];
  const inner = exchangeOf(new Context(target, { ...route, chain }));
  inner.body = body;
  if (values !== undefined) copyValues(values, valuesOf(inner));
  try {
    await runChain(inner);
  } catch {
    return false;
  }
  return isAdmitted;
}
