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
import { Chain, settle, start } from "../../context/chain.ts";
import { type ConnectionInfo, requestHost, subdomainOf } from "../../context/client.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import { EndTasks } from "../../context/end_tasks.ts";
import { type Arrival, bodyOf, type Exchange, loggerOf, valuesOf, viewStateOf } from "../../context/exchange.ts";
import { fail, notFound } from "../../context/stop.ts";
import {
  decodePath,
  hostName,
  isHost,
  type LocatedPath,
  locatePath,
  lowerASCII,
  Methods,
  type PathPlace,
  rawPath,
  trimFinalSlashes,
} from "../../http/request_line.ts";
import { setHeader } from "../../response/draft.ts";
import { escapeLocation } from "../../response/standard_response.ts";
import { type AppRoute, type Built, type Domain, spansOf } from "../build.ts";
import type { RouteTarget } from "../router_wrapper.ts";
import { finish, finishLater } from "./finish.ts";

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
function findDecoded(domain: Domain, arrival: Arrival): AppRoute | undefined {
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
function domainOf(built: Built, arrival: Arrival): Domain {
  const host = hostName(requestHost(arrival));
  const { VHost } = built.runtime.config;
  if (host.startsWith("[") || isAddress(host) || host === hostName(VHost)) return built.root;
  const isSubdomain = subdomainOf(host, VHost) !== "";
  for (const domain of built.subdomains) {
    if (domain.subdomain === "*." ? isSubdomain : host.startsWith(domain.subdomain)) return domain;
  }
  return built.root;
}

// The check of the `Host` header.
//
// Deno puts the header into the URL of a request as it is: `GET /public` with `Host: x/admin?` has the URL
// `http://x/admin?/public`, and so would be served as `/admin`, whatever a proxy in front forbids. RFC 9112, 3.2 demands
// 400 for such a header.

/**
 * Checks the header of requests, and remembers the last good one.
 *
 * Over a socket (tests/bench/candidates.ts) it costs what the platform takes to give the headers out: 2.8 of 20 µs with one
 * header, 4.7 with the seven of a browser, and nothing where a handler reads a header anyway. A slash in the header leaves
 * two in the URL, its own and that of the path, so URLs with one slash are not asked for it. No other shape could spare
 * it: every URL that the attack leads to is also the URL of an honest request.
 */
class HostCheck {
  #host = "";

  /**
   * Reports whether a path is the one that was asked for.
   *
   * @param request The request.
   * @param place The path that is in doubt.
   * @returns False where the header is malformed, as one that moves the path is.
   */
  isGood(request: Request, place: LocatedPath): boolean {
    const host = request.headers.get("host");
    // Without a header the host comes from elsewhere: from the request line, or from the platform.
    if (host === null) return place.isHostGood;
    if (host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }
}

/** Puts the check before a function that looks at requests by itself. */
export function withHostCheck(serve: Serve): Serve {
  const check = new HostCheck();
  return function (request, info) {
    const place = locatePath(request.url);
    const isGood = !place.isDoubtful || check.isGood(request, place);
    return isGood ? serve(request, info) : malformedHost();
  };
}

/** The response to a malformed header. No handler runs: each would see a path that was not asked for. */
function malformedHost(): Response {
  return new Response("Bad Request", { status: 400 });
}

/** What a request without a route gets. */
interface Outcome {
  readonly status: number;
  readonly header?: readonly [string, string];
}

/**
 * Creates the context of a request whose path leads to no route, with the response drafted: the middleware of
 * `UseRouter` still runs and may change it.
 *
 * @param domain The routes of the request's host.
 * @param arrival The request; the text of its place is the decoded path, empty where an escape is malformed.
 * @returns The context.
 */
function unmatched(domain: Domain, arrival: Arrival): Context {
  const { runtime: { config }, method, place } = arrival;
  const key = config.ForceLowercaseRouting ? lowerASCII(place.text) : place.text;
  const end = trimmedEnd(key);
  if (end < key.length && !config.DisablePathCorrection) {
    const asked = method === "HEAD" && !config.DisableAutoHead ? "GET" : method;
    const route = domain.router.find(method, key, 0, end) ?? domain.router.find(asked, key, 0, end);
    if (route !== undefined && (config.DisablePathCorrectionRedirection || route.servesSlash)) {
      place.spans = spansOf(domain, route);
      return new Context(arrival, route);
    }
    if (route !== undefined) return drafted(domain, arrival, redirection(method, place));
  }
  const trimmed = config.DisablePathCorrection ? key : key.slice(0, end);
  return drafted(domain, arrival, judge(domain, arrival, trimmed));
}

function drafted(domain: Domain, arrival: Arrival, outcome: Outcome): Context {
  const ctx = new Context(arrival, nearest(domain, arrival));
  const { draft } = exchangeOf(ctx);
  draft.status = outcome.status;
  if (outcome.header !== undefined) setHeader(draft, ...outcome.header);
  return ctx;
}

function judge(domain: Domain, arrival: Arrival, path: string): Outcome {
  if (path === "") return { status: 400 };
  const { router } = domain;
  const { runtime: { config }, method } = arrival;
  // HEAD is refused as GET is.
  const asked = method === "HEAD" && !config.DisableAutoHead ? [method, "GET"] : [method];
  const elseCode = asked.map((each) => router.elseCode(each, path, 0, path.length)).find((code) => code !== 404);
  if (elseCode !== undefined) return { status: elseCode };
  // "OPTIONS *" asks about the server as a whole.
  const found = method === "OPTIONS" && path === "/*" ? router.methods() : router.methodsAt(path, 0, path.length);
  if (found.length === 0) return { status: 404 };
  const methods = new Set(found);
  if (methods.has("GET") && !config.DisableAutoHead) methods.add("HEAD");
  if (!config.DisableAutoOptions) methods.add("OPTIONS");
  const header = ["allow", [...methods].sort().join(", ")] as const;
  if (method === "OPTIONS" && !config.DisableAutoOptions) return { status: 204, header };
  return config.DisableMethodNotAllowed ? { status: 404 } : { status: 405, header };
}

/** Sends the client to the path without its final slashes; the leading ones become one, or `//host/` would lead away. */
function redirection(method: string, place: PathPlace): Outcome {
  const path = trimFinalSlashes(place.url.slice(place.start, place.end).replace(/^\/+/, "/"));
  const rest = place.url.slice(place.end).replace(/#.*$/s, "");
  const isSafe = method === "GET" || method === "HEAD";
  return { status: isSafe ? 301 : 307, header: ["location", escapeLocation(`${path || "/"}${rest}`)] };
}

/** The index after a path without its final slashes. */
function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 1 && path.endsWith("/", end)) end--;
  return end;
}

/** The nearest party of a path, whose error handlers count. A path with a malformed escape is looked up as it stands. */
function nearest(domain: Domain, arrival: Arrival): AppRoute {
  if (domain.parties === undefined) return domain.fallback;
  const { runtime, place } = arrival;
  const path = place.text === "" ? place.url.slice(place.start, place.end) : place.text;
  const key = runtime.config.ForceLowercaseRouting ? lowerASCII(path) : path;
  return domain.parties.find("GET", key, 0, trimmedEnd(key)) ?? domain.fallback;
}

// Running another route inside of a handler, as if the client had asked for it.
//
// Its handlers get a context of their own, with the path, parameters and query of the other route; the response, the
// values, the body and the tasks are those of the request. So nothing of the handler that calls is changed under its
// hands, also if it forgets to await.

/** Runs the route that a method and a path lead to; without one the status is 404. */
export function exec(built: Built, outer: Context, method: string, path: string): Promise<void> | undefined {
  const exchange = exchangeOf(outer);
  const arrival = arrivalAt(exchange, method.toUpperCase(), path);
  const domain = domainOf(built, arrival);
  const route = arrival.place.text === "" ? undefined : findDecoded(domain, arrival);
  if (route === undefined) return void notFound(exchange.draft);
  arrival.place.spans = spansOf(domain, route);
  const inner = exchangeOf(new Context(arrival, route));
  share(exchange, inner);
  // Middleware of the router has seen this request.
  inner.chain = new Chain(route.chain.slice(route.routerUses));
  const rest = start(inner);
  return rest === undefined ? takeBack(exchange, inner) : takeBackLater(exchange, inner, rest);
}

async function takeBackLater(
  outer: Exchange<Context>,
  inner: Exchange<Context>,
  rest: Promise<unknown>,
): Promise<void> {
  try {
    await settle(inner, 0, await rest);
  } finally {
    takeBack(outer, inner);
  }
}

function arrivalAt(exchange: Exchange<Context>, method: string, path: string): Arrival {
  const { runtime, request, connection } = exchange;
  const from = request.url.indexOf("/", request.url.indexOf("://") + 3);
  const start = from < 0 ? request.url.length : from;
  const url = request.url.slice(0, start) + (path.startsWith("/") ? path : `/${path}`);
  const length = url.slice(start).search(/[?#]/);
  const place = { url, start, end: length < 0 ? url.length : start + length, text: "", spans: [] };
  place.text = decodePath(rawPath(place)) ?? "";
  return { runtime, request, connection, method, place };
}

function share(outer: Exchange<Context>, inner: Exchange<Context>): void {
  inner.draft = outer.draft;
  inner.values = valuesOf(outer);
  inner.view = viewStateOf(outer);
  inner.body = bodyOf(outer);
  inner.tasks = outer.tasks ??= new EndTasks();
  inner.watch = outer.watch;
  inner.logger = loggerOf(outer);
  inner.id = outer.id;
}

/** What the other route left for the end of the request. */
function takeBack(outer: Exchange<Context>, inner: Exchange<Context>): undefined {
  outer.watch ??= inner.watch;
  outer.id = inner.id;
  if (inner.error === undefined) return;
  outer.error = inner.error;
  outer.isErrorPublic = inner.isErrorPublic;
}
