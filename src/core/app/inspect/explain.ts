/**
 * Explains which route serves a request, which handlers run, and why other routes do not match.
 *
 * @module
 */

import { checkText } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { innerSlash, restoreSlashes } from "../../../base/text/path_value.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { keyOf, type ParamSegment, type Template } from "../../../http/parameter_types/template.ts";
import type { Handler } from "../../context/handler.ts";
import { factsOf } from "../../exchange/handler_facts.ts";
import type { Built } from "../build/build.ts";
import type { AppRoute } from "../build/compile_route.ts";
import { siteOf } from "../record/registration_site.ts";
import type { Registry, RouteRecord } from "../record/registry.ts";
import { routeRequest, type RoutingSource } from "../serve/routed_request.ts";
import { explainMounted } from "./explain_mounted.ts";
import type { Explanation, OtherRoute } from "./explanation.ts";
import { nearRoutes } from "./near_routes.ts";

export type { ExplainedHandler, Explanation, OtherRoute } from "./explanation.ts";

/** The application that is explained. */
export interface ExplainSource extends Pick<RoutingSource, "prefixes"> {
  readonly registry: Registry;
  readonly built: Built;
}

/** The input for an explanation. */
interface HostSource extends RoutingSource {
  readonly registry: Registry;
}

const mostOthers = 12;

/**
 * Explains a request, given its subdomain, method and path. That of a mounted application is explained by the
 * application.
 *
 * @throws {FrameworkError} If the subdomain has no party.
 */
export async function explain(
  { registry, built: { runtime, root, subdomains }, prefixes }: ExplainSource,
  subdomain: string,
  method: string,
  path: string,
): Promise<Explanation> {
  checkText(method, "method", "Explain");
  checkText(path, "path", "Explain");
  const domain = subdomain === "" ? root : subdomains.get(subdomain);
  if (domain === undefined) {
    throw new FrameworkError("FW_STATE", `Cannot explain a request to "${String(subdomain)}": it has no party`);
  }
  const { explanation, record } = explainOwn({ registry, runtime, domain, prefixes }, method, path);
  const mount = registry.mounts.find(({ handler }) => handler !== undefined && handler === record?.handlers.at(-1));
  return mount === undefined ? explanation : await explainMounted(mount, explanation);
}

interface Explained {
  readonly explanation: Explanation;
  readonly record: RouteRecord | undefined;
}

function explainOwn(source: HostSource, method: string, path: string): Explained {
  const { registry, domain } = source;
  const verb = method.toUpperCase();
  // A URL cannot contain lone surrogates.
  const { target, route: found, outcome } = routeRequest(source, verb, path.toWellFormed());
  const { text, spans } = target;
  const values = found?.names.map((_, at) => restoreSlashes(text.slice(spans[2 * at], spans[2 * at + 1]))) ?? [];
  const record = registry.routes.findLast((candidate) => candidate.route === found?.info);
  const params = record?.route.Params.map((name, at) => [name, values[at] ?? ""]) ?? [];
  const chain = record === undefined || found === undefined ? [] : chainOf(registry, record, found);
  const explanation: Explanation = {
    Method: verb,
    Path: path.toWellFormed(),
    Route: record?.route.Name,
    Template: record && `${record.route.Method} ${record.route.Subdomain}${record.route.Path}`,
    Version: record && versionsOf(record.party),
    Action: record?.route.Controller === undefined ? undefined : `${record.route.Controller}.${record.route.Action}`,
    Status: outcome?.status,
    Location: outcome?.header?.[0] === "location" ? outcome.header[1] : undefined,
    Allow: outcome?.header?.[0] === "allow" ? outcome.header[1] : undefined,
    Params: Object.fromEntries(params),
    Chain: chain.map(([handler, From]) => ({ Name: handlerName(handler, record), From, File: siteOf(handler) })),
    Inputs: record?.route.Inputs.map((input) => input.Kind) ?? [],
    Security: chain.flatMap(([handler]) => factsOf(handler).security?.name ?? []),
    Dependencies: record?.dependent?.dependencies() ?? [],
    Events: chain.flatMap(([handler]) => factsOf(handler).events?.() ?? []),
    Others: othersOf(registry.routes, record, {
      verb,
      decoded: target.path || rawPath(target),
      subdomain: domain.subdomain,
      target: outcome?.header?.[0] === "location" ? outcome.header[1] : undefined,
    }),
  };
  return { explanation, record };
}

/**
 * Returns the name of a handler. Controller methods are called by an anonymous function, so their names are taken from
 * the record.
 */
export function handlerName(handler: Handler, record: RouteRecord | undefined): string {
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
  /** The target of the redirect, if the request is redirected. */
  readonly target: string | undefined;
}

/**
 * Returns the routes that almost match. They have lower precedence or another method, are similar to the path, or match
 * only its first segments.
 */
function othersOf(records: readonly RouteRecord[], winner: RouteRecord | undefined, asked: Asked): OtherRoute[] {
  const near: { readonly rank: number; readonly other: OtherRoute }[] = [];
  // A path with a typo may not match any segment.
  const similar = winner === undefined ? nearRoutes(asked.decoded, records.map(({ route }) => route.Path)) : [];
  for (const record of records) {
    if (record === winner) continue;
    const { why, depth } = mismatchOf(record.template, asked.decoded);
    const isFit = why === undefined;
    const isSimilar = similar.includes(record.route.Path);
    if (!isFit && !isSimilar && depth === 0) continue;
    const reasons = [
      record.party.subdomain === asked.subdomain ? "" : `it is on the subdomain "${record.party.subdomain}"`,
      record.route.Method === asked.verb ? "" : `its method is ${record.route.Method}`,
      why ?? "",
    ].filter((reason) => reason !== "");
    const lost = winner === undefined ? unmatchedReason(asked) : precedence(record, winner);
    near.push({
      rank: depth + (isFit ? 1000 : isSimilar ? 500 : 0),
      other: { Route: record.route.Name, Why: reasons.length === 0 ? lost : reasons.map(readable).join(", ") },
    });
  }
  return near.sort((a, b) => b.rank - a.rank).slice(0, mostOthers).map(({ other }) => other);
}

/** Returns a string in which escaped slashes are shown as a client sends them. */
function readable(text: string): string {
  return text.replace(RegExp(innerSlash, "gu"), "%2F");
}

/** Returns the range of versions that a party is limited to. */
function versionsOf({ parent, selector }: RouteRecord["party"]): string | undefined {
  const above = parent && versionsOf(parent);
  return above === undefined || selector === undefined ? above ?? selector?.name : `${above} ${selector.name}`;
}

/** Returns the reason why another route serves the request. */
function precedence(record: RouteRecord, winner: RouteRecord): string {
  const version = versionsOf(record.party);
  if (version !== undefined) return `its version is ${version}`;
  return versionsOf(winner.party) !== undefined && winner.route.Path === record.route.Path
    ? "it serves all other versions"
    : `"${winner.route.Name}" is more specific or was registered later`;
}

/** Returns the reason why a route whose template fits does not serve the request. */
function unmatchedReason({ target, decoded }: Asked): string {
  if (target !== undefined) return `the request is redirected to "${target}"`;
  return decoded.length > 1 && decoded.endsWith("/") ? "the path has a trailing slash" : "no reason is known";
}

/** The reason why a path does not match a template, and the number of segments that match. */
export interface Mismatch {
  /** The reason, or `undefined` if the path matches. */
  readonly why: string | undefined;
  /** The number of matching segments. */
  readonly depth: number;
}

/** Compares a decoded path with a template, segment by segment. */
export function mismatchOf(template: Template, path: string): Mismatch {
  const parts = path.split("/").filter((part) => part !== "");
  const { segments } = template;
  for (const [at, segment] of segments.entries()) {
    const part = parts[at];
    if (segment.kind === "param" && segment.trailing) {
      return { why: refusal(segment, parts.slice(at).join("/")), depth: at };
    }
    if (part === undefined) return { why: `the path ends before ${shown(segment)}`, depth: at };
    if (segment.kind === "static") {
      if (segment.text !== part) return { why: `"${part}" is not "${segment.text}"`, depth: at };
      continue;
    }
    const why = refusal(segment, part);
    if (why !== undefined) return { why, depth: at };
  }
  if (parts.length > segments.length) {
    return { why: `"${parts.slice(segments.length).join("/")}" is not matched`, depth: segments.length };
  }
  return { why: undefined, depth: segments.length };
}

function refusal(segment: ParamSegment, text: string): string | undefined {
  if (segment.accept(text, 0, text.length)) return undefined;
  if (!text.endsWith(segment.suffix)) return `"${text}" does not end with "${segment.suffix}"`;
  const value = text.slice(0, text.length - segment.suffix.length);
  const isOfType = segment.type.Test(value, 0, value.length);
  const demands = keyOf(segment).slice(segment.type.Name.length + 1);
  return isOfType ? `"${value}" is rejected by ${demands}` : `"${value}" is not of type ${segment.type.Name}`;
}

function shown(segment: Template["segments"][number]): string {
  return segment.kind === "static" ? `"${segment.text}"` : `{${segment.name}}${segment.suffix}`;
}
