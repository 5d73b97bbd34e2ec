/**
 * Running another route inside of a handler, as if the client had asked for it.
 *
 * Its handlers get a context of their own, with the path, parameters and query of the other route; the response, the
 * values, the body and the tasks are those of the request. So nothing of the handler that calls is changed under its
 * hands, also if it forgets to await.
 *
 * @module
 */

import { Chain, settle, start } from "../../context/chain/chain.ts";
import { Context, exchangeOf } from "../../context/context.ts";
import { EndTasks } from "../../context/ending/end_tasks.ts";
import { type Arrival, bodyOf, type Exchange, valuesOf, viewStateOf } from "../../context/exchange.ts";
import { loggerOf } from "../../context/request_logger.ts";
import { notFound } from "../../context/stop.ts";
import { decodePath } from "../../http/path.ts";
import { rawPath } from "../../http/request_url.ts";
import { isShut } from "../../response/draft.ts";
import type { Built } from "../build.ts";
import { spansOf } from "../domain.ts";
import { domainOf, findDecoded } from "./find_route.ts";

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
  if (inner.error === undefined || isShut(outer.draft)) return;
  outer.error = inner.error;
  outer.isErrorPublic = inner.isErrorPublic;
}
