/**
 * Runs another route inside a handler, as if the client had requested it.
 *
 * The handlers of the other route get a new context with their own path, parameters and query. The response, the
 * values, the body and the tasks are shared with the request. The state of the calling handler does not change, even if
 * it does not await the call.
 *
 * @module
 */

import { checkText } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { noSpans } from "../../../http/headers/request_url.ts";
import { isShut } from "../../../http/response/draft.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { Chain, settle, start } from "../../exchange/chain/chain.ts";
import { waitsOf } from "../../exchange/ending/deadline.ts";
import { endingOf } from "../../exchange/ending/ending.ts";
import { bodyOf, type Exchange, joinCall, valuesOf, viewStateOf } from "../../exchange/exchange.ts";
import { extrasOf } from "../../exchange/extras.ts";
import { type Key, shareValues } from "../../exchange/values.ts";
import { ownPathOf } from "../../exchange/public_url.ts";
import { loggerOf } from "../../exchange/request_logger.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";
import { notFound } from "../../exchange/stop.ts";
import type { Built } from "../build/build.ts";
import type { AppRoute } from "../build/compile_route.ts";
import { domainOf, findRoute } from "./find_route.ts";

/** The maximum number of calls inside each other. Asynchronous handlers could otherwise call each other forever. */
const deepest = 100;
/** The number of calls around a request, if there is one. */
const depths = new WeakMap<Exchange<Context>, number>();

/** Runs the route that matches a method and a path. Sets status 404 if there is none. */
export function exec(built: Built, outer: Context, method: string, path: string): Promise<void> | undefined {
  checkText(method, "method", "Exec");
  checkText(path, "path", "Exec");
  const exchange = exchangeOf(outer);
  const depth = (depths.get(exchange) ?? 0) + 1;
  if (depth > deepest) throw new FrameworkError("FW_STATE", `Cannot run "${path}": its handlers run each other`);
  const target = targetAt(exchange.target, method.toUpperCase(), path);
  const route = findRoute(domainOf(built, target), target);
  if (route === undefined) return void notFound(exchange.draft);
  const inner = exchangeOf(new Context(target, route));
  share(exchange, inner);
  depths.set(inner, depth);
  inner.chain = new Chain([
    ...newRouterUses(exchange.route as AppRoute, route),
    ...route.chain.slice(route.routerUses),
  ]);
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

/**
 * Returns the router middleware that has not run for this request yet because its party's prefix does not match the
 * path.
 */
function newRouterUses(outer: AppRoute, inner: AppRoute): Handler[] {
  return inner.parties.filter((party) => !outer.parties.includes(party)).flatMap((party) => party.routerUses);
}

/** Returns the target for the other route. Only its method, path and query differ. */
function targetAt(outer: RequestTarget, method: string, path: string): RequestTarget {
  const { start } = outer;
  const own = ownPathOf(outer, path);
  const url = outer.url.slice(0, start) + own.path;
  const length = url.slice(start).search(/[?#]/);
  const end = length < 0 ? url.length : start + length;
  return { ...outer, method, url, end, text: url, path: "", language: own.language, spans: noSpans };
}

function share(outer: Exchange<Context>, inner: Exchange<Context>): void {
  inner.draft = outer.draft;
  const values = valuesOf(outer);
  inner.values = shareValues(values, (key) => inner.runtime.provide(inner, key) ?? values.Get(key as Key<unknown>));
  extrasOf(inner).view = viewStateOf(outer);
  inner.body = bodyOf(outer);
  inner.ending = endingOf(outer);
  inner.watch = outer.watch;
  joinCall(outer, inner);
  extrasOf(inner).logger = loggerOf(outer);
  extrasOf(inner).waits = waitsOf(outer);
  const language = outer.extras?.language;
  // Other sources are read again, because the query and the path may differ.
  if (language?.isSet === true) extrasOf(inner).language = language;
  inner.id = outer.id;
  inner.readsCookies = outer.readsCookies;
}

/** Transfers the end tasks registered by the other route to the request. */
function takeBack(outer: Exchange<Context>, inner: Exchange<Context>): undefined {
  outer.watch ??= inner.watch;
  outer.id = inner.id;
  outer.readsCookies = inner.readsCookies;
  if (inner.error === undefined || isShut(outer.draft)) return;
  outer.error = inner.error;
  outer.isErrorPublic = inner.isErrorPublic;
}
