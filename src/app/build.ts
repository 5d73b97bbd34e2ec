/**
 * From records to what serves: everything that can be known before a request.
 *
 * @module
 */

import { isThenable } from "../base/promises.ts";
import type { AddressList } from "../base/addresses.ts";
import type { Configuration } from "../base/config.ts";
import type { Host } from "../base/host.ts";
import { limitsOf } from "../body/body_head.ts";
import type { AppRuntime } from "../context/app_runtime.ts";
import { contentTypes, withCharset } from "../http/header.ts";
import { accept } from "../context/chain.ts";
import type { CompiledRoute, RouteParty } from "../context/compiled_route.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { lowerASCII, noSpans } from "../http/request_line.ts";
import { parseTemplate, type Template } from "../macro/template.ts";
import { Router } from "../router/router.ts";
import type { Engine } from "../view/engine.ts";
import type { PartyRecord, Registry, RouteRecord } from "./registry.ts";
import { InFlight } from "./serve/in_flight.ts";

/** A built application. */
export interface Built {
  readonly runtime: AppRuntime;
  readonly root: Domain;
  /** The subdomains, the most specific first; empty for most applications, which then never look at the host. */
  readonly subdomains: readonly Domain[];
  /** The requests whose handlers have not finished. */
  readonly inFlight: InFlight;
  /** Work that goes on after responses have left; a shutdown waits for it. */
  readonly trailing: Set<Promise<void>>;
  /** True once the server is about to stop: responses that are still to come ask their clients to leave. */
  isLeaving: boolean;
}

/** Folds what was registered. */
export function build(registry: Registry, runtime: AppRuntime): Built {
  const folded = foldParties(registry.parties);
  const names = new Set(registry.parties.map((party) => party.subdomain));
  const domains = [...names].sort((a, b) => specificity(b) - specificity(a)).map((subdomain) =>
    buildDomain({ registry, runtime, folded }, subdomain)
  );
  const root = domains.find((domain) => domain.subdomain === "");
  if (root === undefined) throw new TypeError("Cannot build an application: it has no root party");
  return {
    runtime,
    root,
    subdomains: domains.filter((domain) => domain !== root),
    inFlight: new InFlight(),
    trailing: new Set(),
    isLeaving: false,
  };
}

function specificity(subdomain: string): number {
  return subdomain.startsWith("*.") ? 1 : subdomain.length + 1;
}

function foldParties(parties: readonly PartyRecord[]): Map<PartyRecord, FoldedParty> {
  const folded = new Map<PartyRecord, FoldedParty>();
  // A party is recorded after the one above it.
  for (const party of parties) {
    const parent = party.parent === undefined ? undefined : folded.get(party.parent);
    folded.set(party, new FoldedParty(party, parent));
  }
  return folded;
}

/** A route as the application serves it. */
export type AppRoute = CompiledRoute<Context>;

/** The routes of one host. */
export interface Domain {
  /** The beginning of the host: `admin.`, `*.` for any other subdomain, empty for the root domain. */
  readonly subdomain: string;
  readonly router: Router<AppRoute>;
  /** Finds the nearest party of a path that leads to no route; absent where there is only the root. */
  readonly parties: Router<AppRoute> | undefined;
  readonly fallback: AppRoute;
  /** Whether a route of it serves a folder, whose path ends with a slash. */
  readonly hasFolders: boolean;
}

/** What domains are built from. */
interface DomainSource {
  readonly registry: Registry;
  readonly runtime: AppRuntime;
  readonly folded: ReadonlyMap<PartyRecord, FoldedParty>;
}

/** Copies the borders of the parameters: the next request overwrites them. */
export function spansOf(domain: Domain, route: AppRoute): readonly number[] {
  const count = route.names.length;
  if (count === 0) return noSpans;
  const { spans } = domain.router;
  // A literal costs a third of a slice, and most routes have no more than one parameter.
  return count === 1 ? [spans[0] ?? 0, spans[1] ?? 0] : spans.slice(0, 2 * count);
}

/** Builds the domain of a subdomain. */
function buildDomain(source: DomainSource, subdomain: string): Domain {
  const parties = source.registry.parties.filter((party) => party.subdomain === subdomain);
  const roots = parties.filter((party) => party.prefix === "/");
  // Of several parties of one prefix the last that has something to say counts, as it does below in partyRouter.
  const root = roots.findLast(servesUnmatched) ?? roots[0] ?? source.registry.parties[0];
  if (root === undefined) throw new TypeError("Cannot build a domain: it has no party");
  return {
    subdomain,
    router: routeRouter(source, subdomain),
    parties: partyRouter(source, parties),
    fallback: unmatchedRoute(partyOf(source, root)),
    hasFolders: source.registry.routes.some((record) => record.servesSlash && record.party.subdomain === subdomain),
  };
}

function routeRouter(source: DomainSource, subdomain: string): Router<AppRoute> {
  const { registry, runtime } = source;
  const router = new Router<AppRoute>();
  for (const record of registry.routes) {
    if (record.party.subdomain !== subdomain) continue;
    const route = compileRoute(record, registry.globals, partyOf(source, record.party));
    const before = router.add(record.route.Method, routed(runtime, record.template), route);
    if (before?.info === undefined) continue;
    runtime.host.Logger().Warnf(
      `Route "%s" replaces "%s": no request can tell them apart`,
      record.route.Name,
      before.info.Name,
    );
  }
  return router;
}

/** A router of the parties that serve requests without a route, or `undefined` if none but the root does. */
function partyRouter(source: DomainSource, parties: readonly PartyRecord[]): Router<AppRoute> | undefined {
  const { registry: { macros }, runtime } = source;
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
      router.add("GET", routed(runtime, template), unmatchedRoute(partyOf(source, party)));
    }
  }
  return router;
}

function servesUnmatched(party: PartyRecord): boolean {
  return party.routerUses.length > 0 || party.errorUses.length > 0 || party.errorHandlers.size > 0 ||
    party.engine !== undefined;
}

function unmatchedRoute(party: FoldedParty): AppRoute {
  const flags = { servesSlash: false, servesAny: false, takesRest: false };
  const chain = party.routerUses;
  return { info: undefined, chain, routerUses: chain.length, names: [], party, ...flags };
}

/** A template as the router matches it. */
function routed(runtime: AppRuntime, template: Template): Template {
  if (!runtime.config.ForceLowercaseRouting) return template;
  return {
    ...template,
    segments: template.segments.map((segment) =>
      segment.kind === "static" ? { kind: "static", text: lowerASCII(segment.text) } : segment
    ),
  };
}

function partyOf(source: DomainSource, record: PartyRecord): FoldedParty {
  const party = source.folded.get(record);
  if (party === undefined) throw new TypeError("Cannot fold a route: its party was not recorded");
  return party;
}

/** Folds a route with the middleware of its party and of the whole application. */
function compileRoute(
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

/** A party, folded with the parties above it. */
class FoldedParty implements RouteParty<Context> {
  readonly engine: Engine | undefined;
  /** The handlers that every request of this party runs through first. */
  readonly routerUses: readonly Handler[];
  readonly #errorUses: readonly Handler[];
  readonly #own: ReadonlyMap<number, readonly Handler[]>;
  readonly #parent: FoldedParty | undefined;

  constructor(record: PartyRecord, parent: FoldedParty | undefined) {
    this.engine = record.engine ?? parent?.engine;
    this.routerUses = [...parent?.routerUses ?? [], ...record.routerUses];
    this.#errorUses = [...parent === undefined ? [] : parent.#errorUses, ...record.errorUses];
    this.#own = record.errorHandlers;
    this.#parent = parent;
  }

  errorChain(status: number): readonly Handler[] | undefined {
    const handlers = this.#find(status);
    if (handlers === undefined && this.#errorUses.length === 0) return undefined;
    return [...this.#errorUses, ...handlers ?? []];
  }

  #find(status: number): readonly Handler[] | undefined {
    const own = this.#own.get(status) ?? this.#own.get(0);
    return own !== undefined || this.#parent === undefined ? own : this.#parent.#find(status);
  }
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

/** Computes once what requests share. */
export function createRuntime(host: Host, config: Readonly<Configuration>, proxies: AddressList): AppRuntime {
  const isDefault = config.Charset.toUpperCase() === "UTF-8";
  return {
    host,
    config,
    proxies,
    limits: limitsOf(config),
    localLimits: { ...limitsOf(config), timeout: { MinRate: 0, Grace: 0, Total: 0 }, isLocal: true },
    textType: isDefault ? "" : withCharset("text/plain", config.Charset),
    htmlType: isDefault ? contentTypes.html : withCharset("text/html", config.Charset),
    isPlain: false,
    leaving: new AbortController(),
    cutOff: new AbortController(),
    developmentPage: undefined,
    reverse: undefined,
    exec: undefined,
  };
}
