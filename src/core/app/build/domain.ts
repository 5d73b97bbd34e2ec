/**
 * The routes of one host, and the parties that handle its unmatched requests.
 *
 * @module
 */

import { LazyModule } from "../../../base/async/lazy_module.ts";
import { lowerASCII } from "../../../http/headers/path.ts";
import { noSpans } from "../../../http/headers/request_url.ts";
import { errorHandlerOf, type ParamErrorHandler } from "../../../http/parameter_types/macros.ts";
import { parseTemplate, type Template, withSuffix } from "../../../http/parameter_types/template.ts";
import { Router } from "../../../http/router/router.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import { RouteOverride } from "../record/register_rule.ts";
import type { PartyRecord, Registry, RouteRecord } from "../record/registry.ts";
import { selectedOnly, selectorsOf, unselectedParty } from "../record/route_selector.ts";
import { type AppRoute, compileRoute } from "./compile_route.ts";
import type { FoldedParty } from "./folded_party.ts";
import { groupRoutes } from "./group_routes.ts";
import { PrefixOwners } from "./prefix_owners.ts";

/** Merges routes and error handlers. It is loaded before an application is built in which some of them overlap. */
export const overlap: LazyModule<typeof import("./overlap.ts")> = new LazyModule(() => import("./overlap.ts"));

/** The routes of a host. */
export interface Domain {
  /**
   * The first part of the host name. It is `admin.` for a subdomain, `*.` for any other subdomain, or empty for the
   * root domain.
   */
  readonly subdomain: string;
  readonly router: Router<AppRoute>;
  /** Finds the nearest party for an unmatched path. `undefined` if there is only the root party. */
  readonly parties: Router<AppRoute> | undefined;
  readonly fallback: AppRoute;
  /** The parties that have middleware, by prefix. `undefined` if there are none. */
  readonly owners: PrefixOwners | undefined;
  /** Whether any route serves a folder. The path of a folder ends with a slash. */
  readonly hasFolders: boolean;
  /** Returns the handler for paths that a parameter type rejects. */
  readonly errorHandlerOf: (typeName: string) => ParamErrorHandler<Context> | undefined;
}

/** The input for building domains. */
interface DomainSource {
  readonly registry: Registry;
  readonly runtime: AppRuntime;
  readonly folded: ReadonlyMap<PartyRecord, FoldedParty>;
}

/** The parties and routes of one domain. */
interface DomainRecords {
  readonly parties: readonly PartyRecord[];
  readonly routes: readonly RouteRecord[];
}

/** The input for compiling the routes of a domain. */
interface DomainPlan extends DomainSource {
  readonly routes: readonly RouteRecord[];
  readonly owners: PrefixOwners | undefined;
}

/** Copies the positions of the parameters, because the next request overwrites them. */
export function spansOf(domain: Domain, route: AppRoute): readonly number[] {
  const count = route.names.length;
  if (count === 0) return noSpans;
  const { spans } = domain.router;
  // An array literal takes a third of the time of a slice, and most routes have at most one parameter.
  return count === 1 ? [spans[0] ?? 0, spans[1] ?? 0] : spans.slice(0, 2 * count);
}

/** Builds the domain of a subdomain. */
export function buildDomain(source: DomainSource, subdomain: string, { parties, routes }: DomainRecords): Domain {
  const roots = parties.filter((party) => party.prefix === "/");
  // If several parties have the same prefix, the last one that handles unmatched requests takes precedence, as in
  // partyRouter below.
  const root = roots.findLast(servesUnmatched) ?? roots[0] ?? source.registry.parties[0];
  if (root === undefined) throw new TypeError("Cannot build a domain: it has no party");
  const owners = ownersOf(source, parties);
  const plan = { ...source, routes, owners };
  return {
    subdomain,
    owners,
    router: routeRouter(plan),
    parties: partyRouter(plan, parties),
    fallback: unmatchedRoute(plan, root),
    errorHandlerOf: (typeName) => errorHandlerOf(source.registry.macros, typeName),
    hasFolders: routes.some((record) => record.servesSlash),
  };
}

/** Returns the parties whose middleware applies to everything below their prefix. */
function ownersOf(source: DomainSource, parties: readonly PartyRecord[]): PrefixOwners | undefined {
  const { registry: { macros }, runtime } = source;
  // The middleware of a party without a prefix applies to all requests, unless the party is limited to a version.
  const guarding = parties.filter((party) =>
    (party.prefix !== "/" || selectorsOf(party).length > 0) && party.uses.length + party.routerUses.length > 0
  );
  if (guarding.length === 0) return undefined;
  const owners = new PrefixOwners();
  for (const party of guarding) {
    const { segments } = routed(runtime, parseTemplate(party.prefix, macros));
    owners.add(segments, { party: partyOf(source, party), uses: usesBelow(party) });
  }
  return owners;
}

/**
 * Returns the middleware that applies below a party's prefix. The middleware of an API version applies only to that
 * version.
 */
function usesBelow(party: PartyRecord): readonly Handler[] {
  const selectors = selectorsOf(party);
  if (selectors.length === 0) return party.uses;
  const shared = unselectedParty(party)?.uses ?? [];
  return party.uses.map((handler) => shared.includes(handler) ? handler : selectedOnly(selectors, handler));
}

function routeRouter(plan: DomainPlan): Router<AppRoute> {
  const { registry, runtime } = plan;
  const router = new Router<AppRoute>(({ type }) => errorHandlerOf(registry.macros, type.Name) !== undefined);
  const groups = groupRoutes(plan.routes);
  const merging = overlap.loaded;
  for (const records of runtime.config.AutoHead && merging ? merging.withAutoHead(groups) : groups) {
    const record = records[0];
    if (record === undefined) continue;
    const template = routed(runtime, record.template);
    const route = merging === undefined
      ? routeOf(plan, record, template)
      : merging.overlapRoutes(records.map((each) => ({ record: each, route: routeOf(plan, each, template) })));
    const before = router.add(merging?.methodOf(records) ?? record.route.Method, template, route);
    if (before?.info === undefined || record.rule === RouteOverride) continue;
    runtime.host.Logger().Warnf(
      `Route "%s" replaces "%s": both match the same requests`,
      record.route.Name,
      before.info.Name,
    );
  }
  return router;
}

function routeOf(plan: DomainPlan, record: RouteRecord, { segments }: Template): AppRoute {
  const { registry: { globals }, owners } = plan;
  return compileRoute({ record, segments, globals, party: partyOf(plan, record.party) }, owners);
}

/** Returns a router for the parties that handle unmatched requests, or `undefined` if only the root does. */
function partyRouter(plan: DomainPlan, parties: readonly PartyRecord[]): Router<AppRoute> | undefined {
  const { registry: { macros }, runtime } = plan;
  const serving = parties.filter((party) => party.prefix !== "/" && servesUnmatched(party));
  if (serving.length === 0) return undefined;
  const router = new Router<AppRoute>();
  for (const party of serving) {
    const own = parseTemplate(party.prefix, macros);
    const last = own.segments.at(-1);
    const below = last?.kind === "param" && last.trailing
      ? []
      : [parseTemplate(`${party.prefix}/{fw_rest:path}`, macros)];
    for (const template of [own, ...below]) {
      router.add("GET", routed(runtime, template), unmatchedRoute(plan, party));
    }
  }
  return router;
}

function servesUnmatched(party: PartyRecord): boolean {
  return party.routerUses.length > 0 || party.errorUses.length > 0 || party.errorHandlers.size > 0 ||
    party.engine !== undefined || party.layout !== undefined || party.fallbacks.length > 0 ||
    party.attached !== undefined;
}

function unmatchedRoute(plan: DomainPlan, record: PartyRecord): AppRoute {
  return compileRoute({ record: undefined, segments: [], globals: [], party: partyOf(plan, record) }, plan.owners);
}

/** Returns a template in the form that the router matches. */
function routed(runtime: AppRuntime, template: Template): Template {
  if (!runtime.config.LowercaseRouting) return template;
  return {
    ...template,
    segments: template.segments.map((segment) =>
      segment.kind === "static"
        ? { kind: "static", text: lowerASCII(segment.text) }
        : withSuffix(segment, lowerASCII(segment.suffix))
    ),
  };
}

function partyOf(source: DomainSource, record: PartyRecord): FoldedParty {
  const party = source.folded.get(record);
  if (party === undefined) throw new TypeError("Cannot compile a route: its party was not recorded");
  return party;
}
