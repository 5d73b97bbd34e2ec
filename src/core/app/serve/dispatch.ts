/**
 * Serves requests. Finds the route for the URL, creates the context, runs the handlers and returns the response.
 *
 * Everything is synchronous as long as the handlers are, and only the method and the URL of the request are read. A
 * promise costs 1 µs per request, and the headers cost 2 µs (tests/bench).
 *
 * @module
 */

import { runInCall } from "../../context/call_scope.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import type { RouteTarget, Serve } from "../../context/router_wrapper.ts";
import { Chain, start } from "../../exchange/chain/chain.ts";
import { finish, finishLater } from "../../exchange/ending/finish.ts";
import { type Exchange, joinCall } from "../../exchange/exchange.ts";
import { fail } from "../../exchange/failure.ts";
import type { BoundRoute, OuterCall } from "../../exchange/peer/outer_call.ts";
import { type ConnectionInfo, peerOf } from "../../exchange/peer/peer_address.ts";
import { mountedPath } from "../../exchange/public_url.ts";
import { newTarget, type RequestTarget } from "../../exchange/request_target.ts";
import { arrivedMethod, normalizeMethod } from "../../../http/headers/methods.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { PathLocator } from "../../../http/headers/path_locator.ts";
import { termsOf } from "../../../http/response/draft.ts";
import type { Built } from "../build/build.ts";
import type { AppRoute } from "../build/compile_route.ts";
import { type Domain, spansOf } from "../build/domain.ts";
import { coveredCanonical } from "./cover.ts";
import { domainOf, findRoute } from "./find_route.ts";
import { HostCheck, malformedHost } from "./host_check.ts";
import { unmatched, unroutable } from "./unmatched.ts";

/** A function that serves requests. */
export type Fetch = (request: Request, info?: ConnectionInfo) => Response | Promise<Response>;

const slash = 47;

/** Creates the function that serves a built application. */
export function createFetch(built: Built): Serve {
  const { runtime, root } = built;
  const hasSubdomains = built.subdomains.size > 0;
  const isLower = runtime.config.LowercaseRouting;
  const hostCheck = runtime.config.HostCheck ? new HostCheck() : undefined;
  const locator = new PathLocator();
  const serve = built.isFollowed ? runFollowed : run;

  return function fetch(request, connection, meant) {
    const method = meant?.Method === undefined ? arrivedMethod(request) : normalizeMethod(meant.Method);
    const url = meant?.URL ?? request.url;
    const place = locator.locate(url);
    const { start, end } = place;
    const target = newTarget(runtime, request, connection, method, url, place);
    if (meant !== undefined) applyMeant(target, meant);
    const domain = hasSubdomains ? domainOf(built, target) : root;
    // The folder "/static/" takes precedence over a file in the folder "/", so a second lookup is needed.
    const isAsItStands = place.isCanonical && !isLower && !(domain.hasFolders && url.charCodeAt(end - 1) === slash);
    let ctx: Context;
    try {
      const route = isAsItStands ? domain.router.find(method, url, start, end) : undefined;
      if (place.isDoubtful && hostCheck?.isGood(target, place, route) === false) return malformedHost();
      if (route === undefined) {
        ctx = withOtherPath(domain, target, isAsItStands);
      } else {
        target.spans = spansOf(domain, route);
        ctx = new Context(target, route.isReaching ? coveredCanonical(domain, route, target) : route);
      }
    } catch (error) {
      ctx = unroutable(domain, target, error);
    }
    return serve(built, ctx);
  };
}

function withOtherPath(domain: Domain, target: RequestTarget, isAsItStands: boolean): Context {
  const found = findRoute(domain, target, isAsItStands ? rawPath(target) : undefined);
  return found === undefined ? unmatched(domain, target) : new Context(target, found);
}

/** Applies the facts that a wrapper has determined, apart from the method and the URL. */
function applyMeant(target: RequestTarget, { Language, Host }: RouteTarget): void {
  if (Language !== undefined) target.language = Language;
  if (Host !== undefined) peerOf(target).host = Host;
}

/**
 * Creates the context of a request that is not served, for the observers of other failures.
 *
 * @param built The application.
 * @param request The request.
 */
export function contextOf(built: Built, request: Request): Context {
  return unmatched(built.root, targetOf(built, request));
}

/**
 * Responds to a request whose router wrapper has failed, as if a handler had thrown the error. No middleware runs,
 * because the wrapper may be a guard, and the middleware of `apps.Switch` serves requests.
 *
 * @param built The application.
 * @param request The request.
 * @param connection The connection.
 * @param thrown The error, or nothing if the wrapper has returned another value than a response.
 * @param returned That value.
 */
export function failedFetch(
  built: Built,
  request: Request,
  connection: ConnectionInfo | undefined,
  thrown: unknown,
  returned?: unknown,
): Response | Promise<Response> {
  const target = targetOf(built, request, connection);
  const ctx = new Context(target, domainOf(built, target).fallback);
  const exchange = exchangeOf(ctx);
  exchange.chain = new Chain([() => {
    throw thrown ?? exchange.notResponse("a router wrapper", returned);
  }]);
  return run(built, ctx);
}

function targetOf({ runtime }: Built, request: Request, connection?: ConnectionInfo): RequestTarget {
  const { method, url } = request;
  return newTarget(runtime, request, connection, method, url, new PathLocator().locate(url));
}

/** Runs a request so that the jobs that it adds can find it. */
function runFollowed(built: Built, ctx: Context): Response | Promise<Response> {
  return runInCall(exchangeOf(ctx), () => run(built, ctx));
}

function run(built: Built, ctx: Context): Response | Promise<Response> {
  const exchange = exchangeOf(ctx);
  // Fields are read instead of getters, because V8 does not inline the getters in code that is half optimized.
  const { outer, method } = exchange.target;
  if (method === "HEAD") termsOf(exchange.draft).keepsText = true;
  return outer === undefined ? handle(built, exchange) : handleInside(outer, built, exchange);
}

function handle(built: Built, exchange: Exchange<Context>): Response | Promise<Response> {
  try {
    const own = start(exchange);
    if (own !== undefined) return finishLater(built, exchange, own);
  } catch (error) {
    fail(exchange, error);
  }
  return finish(built, exchange);
}

/** Handles a request that another call has passed on inside the process. */
function handleInside(call: OuterCall, built: Built, exchange: Exchange<Context>): Response | Promise<Response> {
  const refusal = enterCall(call, exchange);
  if (refusal !== undefined) return refusal;
  const response = handle(built, exchange);
  return response instanceof Promise
    ? response.then((late) => withPrefix(exchange.target, late))
    : withPrefix(exchange.target, response);
}

/** Adds the prefix of a mounted application to a path in the `Location` header. */
function withPrefix(target: RequestTarget, response: Response): Response {
  const { status } = response;
  // Reading headers turns the body of a platform response into a stream, which takes 25 µs.
  const location = status === 200 || status === 101 ? null : response.headers.get("location");
  const placed = location === null ? null : mountedPath(target, location);
  if (placed === null || placed === location) return response;
  // The headers of a returned Response may be immutable.
  const changed = new Response(response.body, response);
  changed.headers.set("location", placed);
  return changed;
}

/** Begins a request that is inside another one or bound to a route. Returns the response if it is rejected. */
function enterCall(call: OuterCall, exchange: Exchange<Context>): Response | undefined {
  const { exchange: outer, witness, route } = call;
  if (outer !== undefined) joinCall(outer as Exchange<Context>, exchange);
  witness?.(exchange);
  if (route !== undefined) termsOf(exchange.draft).writeExactly = route.writeExactly;
  return route && refuseOtherRoute(route, exchange);
}

/**
 * Rejects a request that did not lead to the route that its call is bound to. The route is compared after all wrappers,
 * method overrides and language prefixes, so that no argument can select another route.
 *
 * @param bound The route that the call is bound to.
 * @param exchange The request, before its first handler.
 * @returns The response, or `undefined` if the route may serve the request.
 */
function refuseOtherRoute(bound: BoundRoute, exchange: Exchange<Context>): Response | undefined {
  const { info, alternatives } = exchange.route as AppRoute;
  if (bound.app !== undefined && bound.app !== exchange.runtime) return undefined;
  if (bound.info === info || alternatives?.includes(bound.info)) {
    bound.app = exchange.runtime;
    return undefined;
  }
  if (bound.app === undefined && info !== undefined && bound.mounts.has(info)) return undefined;
  bound.isMissed = true;
  return new Response("Not Found", { status: 404 });
}
