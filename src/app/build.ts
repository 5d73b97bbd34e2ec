/**
 * From records to what serves: chains folded, trees grown, everything that can be known before a request.
 *
 * @module
 */

import { isThenable } from "../context/chain.ts";
import { chainOf, type Context, draftOf } from "../context/context.ts";
import { adopt } from "../response/draft.ts";
import type { CompiledRoute, Handler } from "../context/handler.ts";
import { lowerASCII } from "../http/path.ts";
import type { Site } from "../context/app_runtime.ts";
import { parseTemplate, type Template } from "../macro/template.ts";
import { Router } from "../router/router.ts";
import type { PartyRecord, Registry, RouteRecord } from "./registry.ts";
import { PartyScope } from "./scope.ts";

/** Everything of one host: its routes, and its parties for requests that lead to none. */
export interface Domain {
  /** The beginning of the host: `admin.`, `*.` for any other subdomain, empty for the root domain. */
  readonly subdomain: string;
  readonly router: Router<CompiledRoute>;
  /** Finds the nearest party of a path that leads to no route; absent where there is only the root. */
  readonly scopes: Router<CompiledRoute> | undefined;
  readonly fallback: CompiledRoute;
}

/** A built application. */
export interface Built {
  readonly site: Site;
  readonly root: Domain;
  /** The subdomains, the most specific first; empty for most applications, which then never look at the host. */
  readonly subdomains: readonly Domain[];
  /** Work that goes on after answers have left; a shutdown waits for it. */
  readonly trailing: Set<Promise<void>>;
  /** True once the server is about to stop: answers that are still to come ask their clients to leave. */
  isLeaving: boolean;
}

/** The borders of no parameters. */
export const none: readonly number[] = [];

/** Copies the borders of the parameters: the next request writes over them. */
export function spansOf(domain: Domain, route: CompiledRoute): readonly number[] {
  const count = route.names.length;
  if (count === 0) return none;
  const { spans } = domain.router;
  // A literal costs a third of a slice, and most routes have no more than one parameter.
  return count === 1 ? [spans[0] ?? 0, spans[1] ?? 0] : spans.slice(0, 2 * count);
}

/** Folds what was registered. */
export function build(registry: Registry, site: Site): Built {
  const scopes = foldScopes(registry.parties);
  const names = new Set(registry.parties.map((party) => party.subdomain));
  const domains = [...names].sort((a, b) => specificity(b) - specificity(a)).map((subdomain) =>
    growDomain(registry, site, scopes, subdomain)
  );
  const root = domains.find((domain) => domain.subdomain === "");
  if (root === undefined) throw new TypeError("Cannot build an application: it has no root party");
  return { site, root, subdomains: domains.filter((domain) => domain !== root), trailing: new Set(), isLeaving: false };
}

function specificity(subdomain: string): number {
  return subdomain.startsWith("*.") ? 1 : subdomain.length + 1;
}

function foldScopes(parties: readonly PartyRecord[]): Map<PartyRecord, PartyScope> {
  const scopes = new Map<PartyRecord, PartyScope>();
  // A party is recorded after the one above it.
  for (const party of parties) {
    const parent = party.parent === undefined ? undefined : scopes.get(party.parent);
    scopes.set(party, new PartyScope(party, parent));
  }
  return scopes;
}

function growDomain(
  registry: Registry,
  site: Site,
  scopes: ReadonlyMap<PartyRecord, PartyScope>,
  subdomain: string,
): Domain {
  const router = new Router<CompiledRoute>();
  const isLower = site.config.ForceLowercaseRouting;
  for (const record of registry.routes) {
    if (record.party.subdomain !== subdomain) continue;
    const before = router.add(
      record.route.Method,
      isLower ? lowered(record.template) : record.template,
      compile(record, registry.globals, scopeOf(scopes, record.party)),
    );
    if (before?.info !== undefined) {
      site.host.Logger().Warnf(
        `Route "%s" replaces "%s": no request can tell them apart`,
        record.route.Name,
        before.info.Name,
      );
    }
  }
  const parties = registry.parties.filter((party) => party.subdomain === subdomain);
  const roots = parties.filter((party) => party.prefix === "/");
  // Of several parties of one prefix the last that has something to say answers, as it does below in growScopes.
  const root = roots.findLast(cares) ?? roots[0] ?? registry.parties[0];
  if (root === undefined) throw new TypeError("Cannot build a domain: it has no party");
  return {
    subdomain,
    router,
    scopes: growScopes(parties, scopes, registry, isLower),
    fallback: missRoute(scopeOf(scopes, root)),
  };
}

/** A tree of the parties that care about requests without a route, or `undefined` if none but the root does. */
function growScopes(
  parties: readonly PartyRecord[],
  scopes: ReadonlyMap<PartyRecord, PartyScope>,
  registry: Registry,
  isLower: boolean,
): Router<CompiledRoute> | undefined {
  const caring = parties.filter((party) => party.prefix !== "/" && cares(party));
  if (caring.length === 0) return undefined;
  const router = new Router<CompiledRoute>();
  for (const party of caring) {
    const own = parseTemplate(party.prefix, registry.macros);
    const last = own.segments.at(-1);
    const below = last?.kind === "param" && last.trailing
      ? []
      : [parseTemplate(`${party.prefix}/{fw_rest:path}`, registry.macros)];
    for (const template of [own, ...below]) {
      router.add("GET", isLower ? lowered(template) : template, missRoute(scopeOf(scopes, party)));
    }
  }
  return router;
}

function cares(party: PartyRecord): boolean {
  return party.routerUses.length > 0 || party.errorUses.length > 0 || party.errorHandlers.size > 0 ||
    party.engine !== undefined;
}

function missRoute(scope: PartyScope): CompiledRoute {
  return { info: undefined, chain: scope.routerUses, names: [], scope };
}

function compile(record: RouteRecord, globals: readonly Handler[], scope: PartyScope): CompiledRoute {
  const handlers = [...record.handlers];
  const main = handlers.pop();
  const last = main === undefined ? [] : record.dones.length === 0 ? [main] : [main, ...record.dones].map(forced);
  return {
    info: record.route,
    chain: [...scope.routerUses, ...globals, ...record.uses, ...handlers, ...last],
    names: record.template.names,
    scope,
  };
}

/** Makes a handler go on by itself to the next one, unless it did so or stopped the chain: `Done` is promised to run. */
function forced(handler: Handler): Handler {
  return function (ctx) {
    const before = chainOf(ctx).index;
    const result = handler(ctx);
    if (isThenable(result)) return forcedLater(ctx, before, result);
    if (result instanceof Response) adopt(draftOf(ctx), result);
    return chainOf(ctx).index === before ? ctx.Next() : undefined;
  };
}

async function forcedLater(ctx: Context, before: number, result: Promise<void | Response>): Promise<void> {
  const response = await result;
  if (response instanceof Response) adopt(draftOf(ctx), response);
  if (chainOf(ctx).index === before) await ctx.Next();
}

function lowered(template: Template): Template {
  return {
    ...template,
    segments: template.segments.map((segment) =>
      segment.kind === "static" ? { kind: "static", text: lowerASCII(segment.text) } : segment
    ),
  };
}

function scopeOf(scopes: ReadonlyMap<PartyRecord, PartyScope>, party: PartyRecord): PartyScope {
  const scope = scopes.get(party);
  if (scope === undefined) throw new TypeError("Cannot fold a route: its party was not recorded");
  return scope;
}
