/**
 * Calls that were offered for one route, such as tool calls, and must not reach another one.
 *
 * @module
 */

import type { Exchange } from "../../exchange/exchange.ts";
import type { BoundRoute } from "../../exchange/peer/outer_call.ts";
import type { Context } from "../../context/context.ts";
import type { AppRoute } from "../build/compile_route.ts";

/**
 * Rejects a request that did not lead to the route that its call is bound to. The route is compared after all wrappers,
 * method overrides and language prefixes, so that no argument can select another route.
 *
 * @param bound The route that the call is bound to.
 * @param exchange The request, before its first handler.
 * @returns The response, or `undefined` if the route may serve the request.
 */
export function refuseOtherRoute(bound: BoundRoute, exchange: Exchange<Context>): Response | undefined {
  const { info, alternatives } = exchange.route as AppRoute;
  if (bound.app !== exchange.runtime || bound.info === info || alternatives?.includes(bound.info)) return undefined;
  bound.isMissed = true;
  return new Response("Not Found", { status: 404 });
}
