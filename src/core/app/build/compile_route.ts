/**
 * Compiles routes. The chain of each route is flattened into one array.
 *
 * @module
 */

import { isThenable } from "../../../base/async/thenable.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { accept } from "../../exchange/chain/chain.ts";
import type { CompiledRoute } from "../../exchange/compiled_route.ts";
import { factsOf } from "../../exchange/handler_facts.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Segment } from "../../../http/parameter_types/template.ts";
import type { RouteRecord } from "../record/registry.ts";
import { unselectedParty } from "../record/route_selector.ts";
import type { FoldedParty } from "./folded_party.ts";
import { containsPrefix, type OwnedPrefix, type Owner, type PrefixOwners } from "./prefix_owners.ts";

/** A compiled route of the application. */
export interface AppRoute extends CompiledRoute<Context> {
  /** The parties whose `UseRouter` middleware runs for the route, with the outermost party first. */
  readonly parties: readonly FoldedParty[];
  /** The middleware that runs after the application's middleware and before the route's own handlers. */
  readonly uses: readonly Handler[];
  /** The number of handlers at the start of the chain that run even if the route's party does not serve the request. */
  readonly commonUses: number;
  /**
   * Whether the route can match an unescaped path below a party's prefix that is not part of the route's own path.
   */
  readonly isReaching: boolean;
  /** Reports whether the route has nothing for a path. `undefined` if it serves all paths that it matches. */
  readonly yieldsAt: ((path: string) => boolean) | undefined;
  /** The registered routes of a group that match the same requests, or `undefined` if there is only one. */
  readonly alternatives: readonly object[] | undefined;
  /** The variants of the route below such prefixes, or `undefined` if the route cannot match there. */
  readonly coverage: Coverage | undefined;
}

/** The input for compiling a route. */
export interface RoutePlan {
  /** The route, or `undefined` to compile the chain for unmatched requests. */
  readonly record: RouteRecord | undefined;
  /** The path segments in the form that the router compares. */
  readonly segments: readonly Segment[];
  readonly globals: readonly Handler[];
  readonly party: FoldedParty;
}

const none: readonly never[] = [];

/** Compiles a route with the middleware of its party and of the application. */
export function compileRoute(plan: RoutePlan, owners: PrefixOwners | undefined): AppRoute {
  const mayReach = plan.record === undefined || plan.segments.some((segment) => segment.kind === "param");
  if (owners === undefined || !mayReach) return fold(plan, none, { isReaching: false, coverage: undefined });
  const isReaching = plan.record === undefined ||
    owners.someReached(plan.segments, (owner) => addsTo(plan, owner));
  return fold(plan, none, { isReaching, coverage: new RouteCoverage(plan) });
}

/** Provides the variants of a route below the prefixes of parties. */
export interface Coverage {
  /**
   * Returns the variant of a route for a path.
   *
   * @param route The route.
   * @param prefixes The prefixes of parties that match the path, with the outermost one first.
   */
  below(route: AppRoute, prefixes: readonly OwnedPrefix[]): AppRoute;
}

/**
 * The variants of a route below prefixes that are not part of its own path. The middleware of those parties runs before
 * the route's own.
 */
class RouteCoverage implements Coverage {
  readonly #plan: RoutePlan;
  /**
   * The variants, by the prefixes that match the path. There is usually one such prefix. Each combination is compiled
   * on first use.
   */
  #known: Map<OwnedPrefix | string | undefined, AppRoute> | undefined = undefined;

  constructor(plan: RoutePlan) {
    this.#plan = plan;
  }

  below(route: AppRoute, prefixes: readonly OwnedPrefix[]): AppRoute {
    if (prefixes.length === 0) return route;
    const key = prefixes.length === 1 ? prefixes[0] : prefixes.map((prefix) => prefix.id).join();
    const known = this.#known?.get(key);
    if (known !== undefined) return known;
    const plan = this.#plan;
    const foreign = prefixes.filter((prefix) => !isSpelled(plan, prefix)).flatMap((prefix) => prefix.owners)
      .filter((owner) => addsTo(plan, owner));
    const covered = foreign.length === 0 ? route : fold(plan, foreign, route);
    (this.#known ??= new Map()).set(key, covered);
    return covered;
  }
}

function isSpelled({ record, segments }: RoutePlan, prefix: OwnedPrefix): boolean {
  return record !== undefined && containsPrefix(segments, prefix.segments);
}

/** Reports whether a party has middleware that the route does not run yet. */
function addsTo({ record, party }: RoutePlan, owner: Owner): boolean {
  return owner.party.lineage.some((each) => each.routerUses.length > 0 && !party.lineage.includes(each)) ||
    record !== undefined && owner.uses.some((handler) => !record.uses.includes(handler));
}

function fold(
  plan: RoutePlan,
  owners: readonly Owner[],
  { isReaching, coverage }: Pick<AppRoute, "isReaching" | "coverage">,
): AppRoute {
  const { record, party } = plan;
  const parties = owners.length === 0
    ? party.lineage
    : [...new Set([...owners.flatMap((owner) => owner.party.lineage), ...party.lineage])];
  // `Use` middleware of parent parties may set the version of a request, so it runs before the middleware of a version.
  // Most applications have no versions, so the list is not filtered for each route.
  const late: readonly FoldedParty[] = record === undefined || !parties.some(isSelective)
    ? none
    : parties.filter((each) => each.isSelective && party.lineage.includes(each));
  const early = late.length === 0 ? parties : parties.filter((each) => !late.includes(each));
  const router = early.some(hasRouterUses) ? early.flatMap((each) => each.routerUses) : none;
  const uses = record === undefined ? none : usesOf(record, owners);
  const common = record === undefined ? 0 : commonCount(record, owners, uses);
  const all = late.some(hasRouterUses)
    ? [...uses.slice(0, common), ...late.flatMap((each) => each.routerUses), ...uses.slice(common)]
    : uses;
  const last = record?.handlers.at(-1);
  return {
    info: record?.route,
    routerUses: router.length,
    chain: record === undefined ? router : chainOf(record, router, concat(plan.globals, all)),
    commonUses: router.length + plan.globals.length + common,
    names: record?.template.names ?? none,
    template: record?.template,
    party,
    servesSlash: record?.servesSlash === true,
    servesAny: record?.servesAny === true,
    takesRest: record !== undefined && !record.isMount && takesRest(plan.segments),
    readsHeaders: false,
    isHandedOut: false,
    parties: early,
    uses: all,
    isReaching,
    yieldsAt: last === undefined ? undefined : factsOf(last).yieldsAt,
    alternatives: undefined,
    coverage,
  };
}

function isSelective(party: FoldedParty): boolean {
  return party.isSelective;
}

function hasRouterUses({ routerUses }: FoldedParty): boolean {
  return routerUses.length > 0;
}

function concat(first: readonly Handler[], second: readonly Handler[]): readonly Handler[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}

/** Returns the number of middleware handlers that a route shares with the same route in other versions. */
function commonCount({ party }: RouteRecord, owners: readonly Owner[], uses: readonly Handler[]): number {
  const outer = unselectedParty(party);
  if (outer === party) return uses.length;
  const common = new Set([...outer?.uses ?? [], ...owners.flatMap((owner) => owner.uses)]);
  return uses.findLastIndex((handler) => common.has(handler)) + 1;
}

/**
 * Returns the middleware of the parties whose prefix matches the path, followed by the route's own. Shared middleware
 * runs once.
 */
function usesOf(record: RouteRecord, owners: readonly Owner[]): readonly Handler[] {
  if (owners.length === 0) return record.uses;
  const first = new Set(owners.flatMap((owner) => owner.uses));
  return [...first, ...record.uses.filter((handler) => !first.has(handler))];
}

function chainOf(record: RouteRecord, router: readonly Handler[], uses: readonly Handler[]): readonly Handler[] {
  const { handlers, dones } = record;
  // Most routes only have their own handlers.
  if (router.length + uses.length + dones.length === 0) return handlers;
  const last = dones.length === 0 ? handlers : [
    ...handlers.slice(0, -1),
    ...[...handlers.slice(-1), ...dones].map(passingOn),
  ];
  return [...router, ...uses, ...last];
}

function takesRest(segments: readonly Segment[]): boolean {
  const last = segments.at(-1);
  return last?.kind === "param" && last.trailing;
}

/** Wraps a handler so that the next one runs after it, unless the handler called `ctx.Next()` or stopped the chain. */
function passingOn(handler: Handler): Handler {
  return Object.defineProperty(passOn, "name", { value: handler.name });

  function passOn(ctx: Context): ReturnType<Handler> {
    const exchange = exchangeOf(ctx);
    const { chain } = exchange;
    const before = chain.index;
    const result = handler(ctx);
    if (isThenable(result)) return passOnLater(ctx, before, result);
    take(exchange, result);
    return chain.index === before ? ctx.Next() : undefined;
  }
}

async function passOnLater(ctx: Context, before: number, result: Promise<void | Response>): Promise<void> {
  const exchange = exchangeOf(ctx);
  take(exchange, await result);
  if (exchange.chain.index === before) await ctx.Next();
}

function take(exchange: Exchange<Context>, returned: unknown): void {
  const mistake = accept(exchange, returned);
  if (mistake !== undefined) throw mistake;
}
