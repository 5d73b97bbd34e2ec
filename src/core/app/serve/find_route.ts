/**
 * Finds the route for a request, by its host and canonical path.
 *
 * @module
 */

import { isAddress } from "../../../base/text/addresses.ts";
import { restoreSlashes } from "../../../base/text/path_value.ts";
import {
  collapseSlashes,
  resolveDots,
  resolveInnerDots,
  uncollapsedIndex,
} from "../../../http/headers/canonical_path.ts";
import { hostName } from "../../../http/headers/host_name.ts";
import { Methods } from "../../../http/headers/methods.ts";
import { decodePath, lowerASCII } from "../../../http/headers/path.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { requestHost, subdomainOf } from "../../exchange/peer/request_host.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";
import type { AppRoute } from "../build/compile_route.ts";
import { type Domain, spansOf } from "../build/domain.ts";
import type { Registry } from "../record/registry.ts";
import { covered } from "./cover.ts";

/**
 * Finds the route for a path that does not match in the form it was sent. Records the canonical path and the
 * parameters.
 *
 * @param domain The routes of the request's host.
 * @param target The request. Its text is empty afterwards if an escape sequence is malformed.
 * @param missed The path for which the router has already found no route of the method, if it was looked up.
 * @returns The route, with the middleware of all parties whose prefix matches the path.
 */
export function findRoute(domain: Domain, target: RequestTarget, missed?: string): AppRoute | undefined {
  const decoded = decodePath(rawPath(target));
  let text = decoded === undefined ? "" : resolveDots(decoded);
  for (;;) {
    target.text = text;
    target.path = collapseSlashes(text);
    if (text === "") return undefined;
    const route = findCanonical(domain, target, missed);
    // Code that reads a catch-all parameter treats an escaped slash as a slash, so the router must do the same.
    // Otherwise, "/files/admin%2Fkeys" would bypass the routes below "/files/admin/", and the catch-all of
    // "/files/%2Fetc" would be "/etc".
    const restored = route?.takesRest ? restoreRest(domain, route, target) : text;
    const next = restored === text ? resolveInnerDots(text) : restored;
    if (next === text) return route === undefined ? undefined : take(domain, route, target);
    text = next;
  }
}

/**
 * Records the parameters of a route that was just found for the canonical path.
 *
 * @returns The route, with the middleware of all parties whose prefix matches the path.
 */
export function take(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  const { text, path } = target;
  const spans = spansOf(domain, route);
  // Values keep repeated slashes, so the value in "/proxy/https://x" is "https://x".
  target.spans = text.length === path.length ? spans : spans.map((at) => uncollapsedIndex(text, at));
  return covered(domain, route, target);
}

/** Returns the canonical path in the form that the router compares. */
export function routingKey({ runtime: { config }, path }: RequestTarget): string {
  return config.LowercaseRouting ? lowerASCII(path) : path;
}

function findCanonical(domain: Domain, target: RequestTarget, missed: string | undefined): AppRoute | undefined {
  const { runtime: { config }, method } = target;
  const { router } = domain;
  const key = routingKey(target);
  const asked = method === "HEAD" && config.AutoHead ? "GET" : method;
  const folder = domain.hasFolders && key.endsWith("/") ? router.find(asked, key, 0, key.length - 1) : undefined;
  if (folder?.servesSlash) return folder;
  return (key === missed ? undefined : router.find(method, key, 0, key.length)) ??
    (asked === method ? undefined : router.find(asked, key, 0, key.length)) ??
    findAny(domain, method, key);
}

/** Returns the text with the escaped slashes of the catch-all replaced by slashes and its dot segments resolved. */
function restoreRest(domain: Domain, route: AppRoute, { text }: RequestTarget): string {
  const from = uncollapsedIndex(text, domain.router.spans[2 * route.names.length - 2] ?? 0);
  const rest = text.slice(from);
  const restored = restoreSlashes(rest);
  return restored === rest ? text : resolveDots(text.slice(0, from) + restored);
}

/**
 * Finds a route registered with `Any`, which also accepts custom methods such as PROPFIND. Such routes are stored under
 * each standard method.
 */
function findAny(domain: Domain, method: string, key: string): AppRoute | undefined {
  if (Methods.includes(method)) return undefined;
  const route = domain.router.find("TRACE", key, 0, key.length);
  return route?.servesAny ? route : undefined;
}

/** The length of the longest name in the domain name system. A longer host must not cost more than that. */
const longestName = 253;

/** The domains of an application, as in {@linkcode Built}. */
interface Domains<D> {
  readonly root: D;
  readonly subdomains: ReadonlyMap<string, D>;
}

/** Returns the names of an application's domains before it has been built. */
export function domainsOf({ parties }: Registry): Domains<Pick<Domain, "subdomain">> {
  const subdomains = new Map(parties.map(({ subdomain }) => [subdomain, { subdomain }]));
  subdomains.delete("");
  return { root: { subdomain: "" }, subdomains };
}

/**
 * Returns the domain for a host. A subdomain never falls back to the root domain, because that is a different site.
 */
export function domainOf<D>(built: Domains<D>, target: RequestTarget): D {
  return domainAt(built, requestHost(target), target.runtime.config.VHost);
}

/** Returns the domain for a host, with or without a port. */
export function domainAt<D>({ root, subdomains }: Domains<D>, asked: string, VHost: string): D {
  const host = hostName(asked);
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return root;
  // The subdomain with the most labels takes precedence.
  for (let dot = host.lastIndexOf(".", longestName); dot > 0; dot = host.lastIndexOf(".", dot - 1)) {
    const domain = subdomains.get(host.slice(0, dot + 1));
    if (domain !== undefined) return domain;
  }
  const others = subdomains.get("*.");
  return others !== undefined && subdomainOf(host, VHost) !== "" ? others : root;
}
