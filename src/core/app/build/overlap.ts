/**
 * Merges routes that match the same requests into one.
 *
 * If a request selects a route, for example by its version, no other route runs. Other routes with the register rule
 * `RouteOverlap` run one after the other until one of them responds.
 *
 * @module
 */

import { readHeader, setHeader } from "../../../http/response/draft.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { keyOf } from "../record/register_rule.ts";
import type { RouteRecord } from "../record/registry.ts";
import { selectorsOf, servesRequest } from "../record/route_selector.ts";
import { type Alternative, joinAlternatives } from "./alternatives.ts";
import type { AppRoute, Coverage } from "./compile_route.ts";
import { isSelective } from "./group_routes.ts";
import type { OwnedPrefix } from "./prefix_owners.ts";
import { isUndecided, note, type Noted } from "./undecided.ts";

/** A compiled route and its record. */
export interface FoldedRoute {
  readonly record: RouteRecord;
  readonly route: AppRoute;
}

/**
 * Adds GET routes to the groups of HEAD routes at the same paths. If a version has only a GET route, the HEAD route of
 * another version must not serve its HEAD requests.
 */
export function withAutoHead(groups: readonly (readonly RouteRecord[])[]): readonly (readonly RouteRecord[])[] {
  // Most applications have no versions.
  if (!groups.some((group) => group.some(isSelective)) || !groups.some((group) => methodOf(group) === "HEAD")) {
    return groups;
  }
  const gets = new Map(groups.filter((group) => methodOf(group) === "GET").map((group) => [templateKey(group), group]));
  return groups.map((group) => {
    const added = methodOf(group) === "HEAD" ? gets.get(templateKey(group)) ?? [] : [];
    if (![...group, ...added].some(isSelective)) return group;
    const others = group.filter((record) => !isSelective(record));
    return [
      ...group.filter(isSelective),
      ...added.filter(isSelective),
      ...others.length > 0 ? others : added.filter((record) => !isSelective(record)),
    ];
  });
}

/** Returns the method of a group. A group of HEAD routes may also contain GET routes. */
export function methodOf(group: readonly RouteRecord[]): string {
  if (group.length === 1) return group[0]?.route.Method ?? "";
  const methods = group.map(({ route }) => route.Method);
  return methods.includes("HEAD") ? "HEAD" : methods[0] ?? "";
}

function templateKey([first]: readonly RouteRecord[]): string {
  return first === undefined ? "" : keyOf("", first.route.Subdomain, first.template);
}

/**
 * Merges lists of error handlers into one. The error is kept. The next handler writes the page only if the previous one
 * stopped without doing so.
 */
export function joinErrorHandlers(alternatives: readonly Alternative[]): readonly Handler[] {
  return joinAlternatives(alternatives, { note, isUndecided, takeBack: () => {}, refuse: undefined });
}

/** Merges the routes of a group into one. */
export function overlapRoutes(routes: readonly FoldedRoute[]): AppRoute {
  const [first] = routes;
  if (first === undefined) throw new TypeError("Cannot fold routes: there are none");
  if (routes.length === 1 && !isSelective(first.record)) return first.route;
  // Middleware shared by all routes runs once, around all of them.
  const shared = sharedMiddleware(routes);
  const infos = routes.map(({ record }) => record.route);
  const alternatives = routes.map(({ record, route }) => {
    const selectors = selectorsOf(record.party);
    return {
      handlers: route.chain.slice(shared),
      guards: route.chain.length - shared - record.handlers.length - record.dones.length,
      isSelected: selectors.length > 0,
      matches: (ctx: Context) => isBoundTo(ctx, record.route, infos) && servesRequest(selectors, ctx),
      enter: (exchange: Exchange<Context>) => enter(exchange, route),
    };
  });
  const refuse: Handler = (ctx) => selectorsOf(first.record.party).at(-1)?.refuse(ctx);
  return {
    ...first.route,
    chain: [
      ...first.route.chain.slice(0, shared),
      ...joinAlternatives(alternatives, { note, isUndecided, takeBack, refuse }),
    ],
    routerUses: Math.min(shared, first.route.routerUses),
    isReaching: routes.some(({ route }) => route.isReaching),
    alternatives: infos,
    coverage: routes.some(({ route }) => route.coverage !== undefined) ? new GroupCoverage(routes) : undefined,
  };
}

/**
 * Reports whether a route of a group may serve a call. If the call is bound to a route of the group, only that route
 * may. A handler can run other groups with `ctx.Exec`.
 */
function isBoundTo(ctx: Context, info: object, infos: readonly object[]): boolean {
  const bound = exchangeOf(ctx).target.outer?.route;
  return bound === undefined || bound.info === info || !infos.includes(bound.info);
}

/**
 * The variants of a group below prefixes that are not part of its routes' own paths. Each variant is compiled, and the
 * variants are merged again.
 */
class GroupCoverage implements Coverage {
  readonly #routes: readonly FoldedRoute[];
  /** The merged routes, by the prefixes that match the path. Each combination is compiled on first use. */
  readonly #known = new Map<string, AppRoute>();

  constructor(routes: readonly FoldedRoute[]) {
    this.#routes = routes;
  }

  below(route: AppRoute, prefixes: readonly OwnedPrefix[]): AppRoute {
    if (prefixes.length === 0) return route;
    const key = prefixes.map((prefix) => prefix.id).join();
    let covered = this.#known.get(key);
    if (covered === undefined) {
      covered = overlapRoutes(this.#routes.map(({ record, route }) => ({
        record,
        route: route.coverage?.below(route, prefixes) ?? route,
      })));
      this.#known.set(key, covered);
    }
    return covered;
  }
}

/** Counts the handlers that all routes share at the start of their chains. */
function sharedMiddleware(routes: readonly FoldedRoute[]): number {
  const most = Math.min(...routes.map(({ route }) => route.commonUses));
  let shared = 0;
  while (shared < most && routes.every(({ route }) => route.chain[shared] === routes[0]?.route.chain[shared])) shared++;
  return shared;
}

function enter(exchange: Exchange<Context>, route: AppRoute): void {
  const before = exchange.route.names;
  exchange.route = route;
  // The routes may use different names for the same parameter.
  if (before.some((name, at) => name !== route.names[at])) exchange.params = undefined;
}

/** Reverts the changes of a route that decided nothing. The response still varies by what the route has looked at. */
function takeBack(exchange: Exchange<Context>, noted: Noted): void {
  const { draft } = exchange;
  const vary = readHeader(draft, "vary");
  draft.type = noted.type;
  draft.isTypeChosen = noted.isTypeChosen;
  draft.headers = noted.headers?.slice();
  if (vary !== "") setHeader(draft, "vary", vary);
}
