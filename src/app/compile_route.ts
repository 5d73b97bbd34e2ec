/**
 * One route, folded: its whole chain in one list.
 *
 * @module
 */

import type { CompiledRoute } from "../context/compiled_route.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { FoldedParty } from "./folded_party.ts";
import { passingOn } from "./pass_on.ts";
import type { RouteRecord } from "./registry.ts";
import type { Template } from "../macro/template.ts";

/** Folds a route with the middleware of its party and of the whole application. */
export function compileRoute(
  record: RouteRecord,
  globals: readonly Handler[],
  party: FoldedParty,
): CompiledRoute<Context> {
  const handlers = [...record.handlers];
  const main = handlers.pop();
  const last = main === undefined ? [] : record.dones.length === 0 ? [main] : [main, ...record.dones].map(passingOn);
  return {
    info: record.route,
    routerUses: party.routerUses.length,
    chain: [...party.routerUses, ...globals, ...record.uses, ...handlers, ...last],
    names: record.template.names,
    party,
    servesSlash: record.servesSlash,
    servesAny: record.servesAny,
    takesRest: takesRest(record.template),
  };
}

function takesRest(template: Template): boolean {
  const last = template.segments.at(-1);
  return last?.kind === "param" && last.trailing;
}
