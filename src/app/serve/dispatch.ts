/**
 * The way of a request: URL, route, context, handlers, response.
 *
 * Everything stays synchronous as long as the handlers are, and nothing is read of the request but its method and its
 * URL: a promise costs 1 µs per request, the headers 2 µs (tests/bench).
 *
 * @module
 */

import { isAddress } from "../../base/addresses.ts";
import { restoreSlashes } from "../../base/text.ts";
import { start } from "../../context/chain.ts";
import type { ConnectionInfo } from "../../context/client/client_address.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import type { Arrival } from "../../context/exchange.ts";
import { fail } from "../../context/failure.ts";
import { decodePath, hostName, locatePath, lowerASCII, Methods, rawPath } from "../../http/request_line.ts";
import { requestHost, subdomainOf } from "../../context/client/request_host.ts";
import type { Built } from "../build.ts";
import { type AppRoute, type Domain, spansOf } from "../domain.ts";
import { finish, finishLater } from "./finish.ts";
import { HostCheck, malformedHost } from "./host_check.ts";
import type { RouteTarget } from "../router_wrapper.ts";
import { unmatched } from "./unmatched.ts";

/** Serves one request. */
export type Fetch = (request: Request, info?: ConnectionInfo) => Response | Promise<Response>;

/** Serves one request as if it had another URL or method. */
export type Serve = (
  request: Request,
  connection?: ConnectionInfo,
  target?: RouteTarget,
) => Response | Promise<Response>;

const slash = 47;

/** Creates the function that serves a built application. */
export function createFetch(built: Built): Serve {
  const { runtime, root } = built;
  const hasSubdomains = built.subdomains.length > 0;
  const isLower = runtime.config.ForceLowercaseRouting;
  const hostCheck = runtime.config.DisableHostCheck ? undefined : new HostCheck();

  return function fetch(request, connection, target) {
    const place = locatePath(target?.URL ?? request.url);
    const { url, start, end } = place;
    if (place.isDoubtful && hostCheck !== undefined && !hostCheck.isGood(request, place)) return malformedHost();
    const method = target?.Method ?? request.method;
    const arrival = { runtime, request, connection, method, place };
    const domain = hasSubdomains ? domainOf(built, arrival) : root;
    // The folder "/static/" is more specific than a file of the folder "/", which only a second look can tell.
    if (place.isPlain && !isLower && !(domain.hasFolders && url.charCodeAt(end - 1) === slash)) {
      const route = domain.router.find(method, url, start, end);
      if (route !== undefined) {
        place.spans = spansOf(domain, route);
        return run(built, new Context(arrival, route));
      }
    }
    return run(built, lookAgain(domain, arrival));
  };
}

/** The way of a path that did not match as it stands: decoded, in lower case, under GET for HEAD, or not at all. */
function lookAgain(domain: Domain, arrival: Arrival): Context {
  const { place } = arrival;
  place.text = decodePath(rawPath(place)) ?? "";
  const route = place.text === "" ? undefined : findDecoded(domain, arrival);
  if (route === undefined) return unmatched(domain, arrival);
  place.spans = spansOf(domain, route);
  return new Context(arrival, route);
}

/** The route of a decoded path. */
export function findDecoded(domain: Domain, arrival: Arrival): AppRoute | undefined {
  const { runtime: { config }, method, place } = arrival;
  const key = config.ForceLowercaseRouting ? lowerASCII(place.text) : place.text;
  const asked = method === "HEAD" && !config.DisableAutoHead ? "GET" : method;
  const folder = domain.hasFolders && key.endsWith("/") ? domain.router.find(asked, key, 0, key.length - 1) : undefined;
  const route = folder?.servesSlash
    ? folder
    : domain.router.find(method, key, 0, key.length) ?? domain.router.find(asked, key, 0, key.length) ??
      findAny(domain, method, key);
  if (!route?.takesRest) return route;
  // What reads the rest of a path takes an escaped slash for a slash. So must the router: "/files/admin%2Fkeys" would
  // otherwise pass by the guards of "/files/admin/", and "/files/%2Fetc" would be the rest "/etc".
  const from = domain.router.spans[2 * route.names.length - 2] ?? 0;
  const rest = place.text.slice(from);
  const restored = restoreSlashes(rest);
  if (restored === rest) return route;
  place.text = place.text.slice(0, from) + restored;
  return findDecoded(domain, arrival);
}

/** What `Any` registered serves methods of one's own too, such as PROPFIND; it stands under each of the usual ones. */
function findAny(domain: Domain, method: string, key: string): AppRoute | undefined {
  if (Methods.includes(method)) return undefined;
  const route = domain.router.find("TRACE", key, 0, key.length);
  return route?.servesAny ? route : undefined;
}

function run(built: Built, ctx: Context): Response | Promise<Response> {
  const exchange = exchangeOf(ctx);
  if (exchange.method === "HEAD") exchange.draft.keepsText = true;
  try {
    const own = start(exchange);
    if (own !== undefined) return finishLater(built, exchange, own);
  } catch (error) {
    fail(exchange, error);
  }
  return finish(built, exchange);
}

/** The domain that a host belongs to. A subdomain never falls through to the root: its paths are another site's. */
export function domainOf(built: Built, arrival: Arrival): Domain {
  const host = hostName(requestHost(arrival));
  const { VHost } = built.runtime.config;
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return built.root;
  const isSubdomain = subdomainOf(host, VHost) !== "";
  for (const domain of built.subdomains) {
    if (domain.subdomain === "*." ? isSubdomain : host.startsWith(domain.subdomain)) return domain;
  }
  return built.root;
}
