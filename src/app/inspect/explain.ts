/**
 * Which route a request leads to, through which handlers, and why not to another.
 *
 * @module
 */

import type { Configuration } from "../../base/config.ts";
import { restoreSlashes } from "../../base/inner_slash.ts";
import type { Handler } from "../../context/handler.ts";
import { type EventFact, factsOf } from "../../context/handler_facts.ts";
import { collapseSlashes, encodePath, resolveDots } from "../../http/canonical_path.ts";
import { decodePath } from "../../http/path.ts";
import type { AppRoute } from "../compile_route.ts";
import type { Domain } from "../domain.ts";
import type { Registry, RouteRecord } from "../registry.ts";
import { judgeUnmatched, redirection, trimmedEnd, type UnmatchedOutcome } from "../unmatched_outcome.ts";
import { mismatchOf } from "./mismatch.ts";
import { siteOf } from "./registration_site.ts";

/** One handler of a chain. */
export interface ExplainedHandler {
  /** Its name; `(anonymous)` where it has none. */
  readonly Name: string;
  /** What brought it into the chain: `UseRouter`, `UseGlobal`, `Use`, `route` or `Done`. */
  readonly From: string;
  /** The file and line where it was registered; empty unless a tool noted it. */
  readonly File: string;
}

/** Another route, and why the request does not lead to it. */
export interface OtherRoute {
  /** The name of the route. */
  readonly Route: string;
  /** The reason. */
  readonly Why: string;
}

/** What becomes of a request. */
export interface Explanation {
  /** The method that was asked for. */
  readonly Method: string;
  /** The path that was asked for. */
  readonly Path: string;
  /** The name of the route that serves it; `undefined` where none does. */
  readonly Route: string | undefined;
  /** The controller and its method, when a controller serves it. */
  readonly Action: string | undefined;
  /** The status of the response if no route serves it: a redirect, 204 for `OPTIONS`, 404 or 405. */
  readonly Status: number | undefined;
  /** Where a redirect leads to. */
  readonly Location: string | undefined;
  /** The methods that the path has, if no route of the method serves it. */
  readonly Allow: string | undefined;
  /** The path parameters, decoded. */
  readonly Params: Readonly<Record<string, string>>;
  /** The handlers in the order they run. */
  readonly Chain: readonly ExplainedHandler[];
  /** Where the checked inputs of the route come from: `Body`, `Query`. */
  readonly Inputs: readonly string[];
  /** The names of the security schemes that guard it. */
  readonly Security: readonly string[];
  /** What its controller depends on, as the lines of a tree. */
  readonly Dependencies: readonly string[];
  /** The events that it handles over WebSocket connections. */
  readonly Events: readonly EventFact[];
  /** The routes that came near, the nearest first. */
  readonly Others: readonly OtherRoute[];
}

/** What an explanation is drawn from. */
export interface ExplainSource {
  readonly registry: Registry;
  readonly domain: Domain;
  readonly config: Readonly<Configuration>;
}

const mostOthers = 12;

/** Explains a request by its method and path. */
export function explain(source: ExplainSource, method: string, path: string): Explanation {
  const { registry, domain } = source;
  const bare = path.split(/[?#]/, 1)[0] ?? path;
  const decoded = collapseSlashes(resolveDots(decodePath(bare) ?? bare));
  const verb = method.toUpperCase();
  const { found, outcome } = findOrJudge(source, verb, decoded, path);
  const { spans } = domain.router;
  const values = found?.names.map((_, at) => restoreSlashes(decoded.slice(spans[2 * at], spans[2 * at + 1]))) ?? [];
  const record = registry.routes.findLast((candidate) => candidate.route === found?.info);
  const params = record?.route.Params.map((name, at) => [name, values[at] ?? ""]) ?? [];
  const owners = domain.owners?.at(decoded, 0, decoded.length) ?? [];
  const served = found?.coverage?.below(found, owners) ?? found;
  const chain = record === undefined || served === undefined ? [] : chainOf(registry, record, served);
  return {
    Method: verb,
    Path: path,
    Route: record?.route.Name,
    Action: record?.route.Controller === undefined ? undefined : `${record.route.Controller}.${record.route.Action}`,
    Status: outcome?.status,
    Location: outcome?.header?.[0] === "location" ? outcome.header[1] : undefined,
    Allow: outcome?.header?.[0] === "allow" ? outcome.header[1] : undefined,
    Params: Object.fromEntries(params),
    Chain: chain.map(([handler, From]) => ({ Name: nameOf(handler, record), From, File: siteOf(handler) })),
    Inputs: record?.route.Inputs.map((input) => input.Kind) ?? [],
    Security: chain.flatMap(([handler]) => factsOf(handler).security?.name ?? []),
    Dependencies: record?.dependent?.dependencies() ?? [],
    Events: chain.flatMap(([handler]) => factsOf(handler).events?.() ?? []),
    Others: othersOf(registry.routes, record, { verb, decoded, subdomain: domain.subdomain }),
  };
}

/** The route that serves a request, or what it gets without one. */
function findOrJudge({ domain, config }: ExplainSource, method: string, decoded: string, path: string): {
  readonly found?: AppRoute | undefined;
  readonly outcome?: UnmatchedOutcome;
} {
  const find = (end: number) =>
    domain.router.find(method, decoded, 0, end) ??
      (method === "HEAD" && config.AutoHead ? domain.router.find("GET", decoded, 0, end) : undefined);
  const found = find(decoded.length);
  if (found !== undefined) return { found };
  const end = config.PathCorrection ? trimmedEnd(decoded) : decoded.length;
  const corrected = end < decoded.length ? find(end) : undefined;
  if (corrected === undefined) return { outcome: judgeUnmatched(domain, { config, method }, decoded.slice(0, end)) };
  if (!config.PathCorrectionRedirection || corrected.servesSlash) return { found: corrected };
  const [search = ""] = /\?[^#]*/.exec(path) ?? [];
  return { outcome: redirection(method, encodePath(decoded), search) };
}

/** A method of a controller is called by a function without a name. */
function nameOf(handler: Handler, record: RouteRecord | undefined): string {
  const isAction = record?.route.Controller !== undefined && handler === record.handlers.at(-1);
  return isAction ? `${record?.route.Controller}.${record?.route.Action}` : handler.name || "(anonymous)";
}

function chainOf(registry: Registry, record: RouteRecord, { parties, uses }: AppRoute): [Handler, string][] {
  const named = (handlers: readonly Handler[], from: string) =>
    handlers.map((handler): [Handler, string] => [handler, from]);
  return [
    ...named(parties.flatMap((party) => party.routerUses), "UseRouter"),
    ...named(registry.globals, "UseGlobal"),
    ...named(uses, "Use"),
    ...named(record.handlers, "route"),
    ...named(record.dones, "Done"),
  ];
}

interface Asked {
  readonly verb: string;
  readonly decoded: string;
  readonly subdomain: string;
}

/** The routes that came near: they fit but lost, or fit in their first segments, or only under another method. */
function othersOf(records: readonly RouteRecord[], winner: RouteRecord | undefined, asked: Asked): OtherRoute[] {
  const near: { readonly rank: number; readonly other: OtherRoute }[] = [];
  for (const record of records) {
    if (record === winner) continue;
    const { why, depth } = mismatchOf(record.template, asked.decoded);
    const isFit = why === undefined;
    if (!isFit && depth === 0) continue;
    const reasons = [
      record.party.subdomain === asked.subdomain ? "" : `it is on the subdomain "${record.party.subdomain}"`,
      record.route.Method === asked.verb ? "" : `its method is ${record.route.Method}`,
      why ?? "",
    ].filter((reason) => reason !== "");
    const lost = winner === undefined ? "no reason is known" : `"${winner.route.Name}" is more specific or came later`;
    near.push({
      rank: depth + (isFit ? 1000 : 0),
      other: { Route: record.route.Name, Why: reasons.length === 0 ? lost : reasons.join(", ") },
    });
  }
  return near.sort((a, b) => b.rank - a.rank).slice(0, mostOthers).map(({ other }) => other);
}
