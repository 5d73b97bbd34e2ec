/**
 * The way of a request: URL, route, context, handlers, response.
 *
 * Everything stays synchronous as long as the handlers are, and nothing is read of the request but its method and its
 * URL: a promise costs 1 µs per request, the headers 2 µs (tests/bench).
 *
 * @module
 */

import { start } from "../../context/chain/chain.ts";
import type { ConnectionInfo } from "../../context/client/peer_address.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import type { Arrival } from "../../context/exchange.ts";
import { fail } from "../../context/failure.ts";
import { decodePath } from "../../http/path.ts";
import { PathLocator } from "../../http/path_locator.ts";
import { rawPath } from "../../http/request_url.ts";
import type { Built } from "../build.ts";
import { type Domain, spansOf } from "../domain.ts";
import type { Serve } from "../router_wrapper.ts";
import { domainOf, findDecoded } from "./find_route.ts";
import { finish, finishLater } from "./finish.ts";
import { HostCheck, malformedHost } from "./host_check.ts";
import { unmatched } from "./unmatched.ts";

/** Serves one request. */
export type Fetch = (request: Request, info?: ConnectionInfo) => Response | Promise<Response>;

const slash = 47;

/** Creates the function that serves a built application. */
export function createFetch(built: Built): Serve {
  const { runtime, root } = built;
  const hasSubdomains = built.subdomains.length > 0;
  const isLower = runtime.config.ForceLowercaseRouting;
  const hostCheck = runtime.config.DisableHostCheck ? undefined : new HostCheck();
  const locator = new PathLocator();

  return function fetch(request, connection, target) {
    const place = locator.locate(target?.URL ?? request.url);
    const { url, start, end } = place;
    const method = target?.Method ?? request.method;
    const arrival = { runtime, request, connection, method, place };
    const domain = hasSubdomains ? domainOf(built, arrival) : root;
    // The folder "/static/" is more specific than a file of the folder "/", which only a second look can tell.
    const isAsItStands = place.isPlain && !isLower && !(domain.hasFolders && url.charCodeAt(end - 1) === slash);
    const route = isAsItStands ? domain.router.find(method, url, start, end) : undefined;
    if (place.isDoubtful && hostCheck !== undefined && !hostCheck.isGood(arrival, route)) return malformedHost();
    if (route === undefined) return run(built, lookAgain(domain, arrival));
    place.spans = spansOf(domain, route);
    return run(built, new Context(arrival, route));
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
