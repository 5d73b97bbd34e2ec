/**
 * Which route a request leads to: that of its host and of its canonical path.
 *
 * @module
 */

import { isAddress } from "../../base/addresses.ts";
import { restoreSlashes } from "../../base/inner_slash.ts";
import { requestHost, subdomainOf } from "../../context/client/request_host.ts";
import type { RequestTarget } from "../../context/request_target.ts";
import { collapseSlashes, resolveDots, resolveInnerDots, uncollapsedIndex } from "../../http/canonical_path.ts";
import { hostName } from "../../http/host_name.ts";
import { Methods } from "../../http/methods.ts";
import { decodePath, lowerASCII } from "../../http/path.ts";
import { rawPath } from "../../http/request_url.ts";
import type { Built } from "../build.ts";
import type { AppRoute } from "../compile_route.ts";
import { type Domain, spansOf } from "../domain.ts";
import { covered } from "./cover.ts";

/**
 * Finds the route of a path that does not match as it stands, and notes the canonical path and the parameters.
 *
 * @param domain The routes of the request's host.
 * @param target The request; its text is empty afterwards where an escape is malformed.
 * @returns The route, with the middleware of all parties that own the path.
 */
export function findRoute(domain: Domain, target: RequestTarget): AppRoute | undefined {
  const decoded = decodePath(rawPath(target));
  let text = decoded === undefined ? "" : resolveDots(decoded);
  for (;;) {
    target.text = text;
    target.path = collapseSlashes(text);
    if (text === "") return undefined;
    const route = findCanonical(domain, target);
    // What reads the rest of a path takes an escaped slash for a slash. So must the router: "/files/admin%2Fkeys" would
    // otherwise pass by the routes of "/files/admin/", and "/files/%2Fetc" would be the rest "/etc".
    const restored = route?.takesRest ? restoreRest(domain, route, target) : text;
    const next = restored === text ? resolveInnerDots(text) : restored;
    if (next === text) return route === undefined ? undefined : take(domain, route, target);
    text = next;
  }
}

/**
 * Notes the parameters of a route that was just found for the canonical path.
 *
 * @returns The route, with the middleware of all parties that own the path.
 */
export function take(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  const { text, path } = target;
  const spans = spansOf(domain, route);
  // Values keep repeated slashes: "/proxy/https://x" is about "https://x".
  target.spans = text.length === path.length ? spans : spans.map((at) => uncollapsedIndex(text, at));
  return covered(domain, route, target);
}

/** The canonical path as the router compares it. */
export function routingKey({ runtime: { config }, path }: RequestTarget): string {
  return config.LowercaseRouting ? lowerASCII(path) : path;
}

function findCanonical(domain: Domain, target: RequestTarget): AppRoute | undefined {
  const { runtime: { config }, method } = target;
  const key = routingKey(target);
  const asked = method === "HEAD" && config.AutoHead ? "GET" : method;
  const folder = domain.hasFolders && key.endsWith("/") ? domain.router.find(asked, key, 0, key.length - 1) : undefined;
  return folder?.servesSlash
    ? folder
    : domain.router.find(method, key, 0, key.length) ?? domain.router.find(asked, key, 0, key.length) ??
      findAny(domain, method, key);
}

/** The text with the escaped slashes of the route's last parameter as slashes, and what dots between them mean. */
function restoreRest(domain: Domain, route: AppRoute, { text }: RequestTarget): string {
  const from = uncollapsedIndex(text, domain.router.spans[2 * route.names.length - 2] ?? 0);
  const rest = text.slice(from);
  const restored = restoreSlashes(rest);
  return restored === rest ? text : resolveDots(text.slice(0, from) + restored);
}

/** What `Any` registered serves methods of one's own too, such as PROPFIND; it stands under each of the usual ones. */
function findAny(domain: Domain, method: string, key: string): AppRoute | undefined {
  if (Methods.includes(method)) return undefined;
  const route = domain.router.find("TRACE", key, 0, key.length);
  return route?.servesAny ? route : undefined;
}

/** The domain that a host belongs to. A subdomain never falls through to the root: its paths are another site's. */
export function domainOf(built: Built, target: RequestTarget): Domain {
  const host = hostName(requestHost(target));
  const { VHost } = built.runtime.config;
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return built.root;
  const isSubdomain = subdomainOf(host, VHost) !== "";
  for (const domain of built.subdomains) {
    if (domain.subdomain === "*." ? isSubdomain : host.startsWith(domain.subdomain)) return domain;
  }
  return built.root;
}
