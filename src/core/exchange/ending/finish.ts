/**
 * Decides the response of a request exactly once: by its handlers, a timeout or a shutdown, whichever comes first.
 *
 * @module
 */

import { HTTPError, statusText } from "../../../base/errors/errors.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { setHeader } from "../../../http/response/draft.ts";
import { isResponse } from "../../../http/response/platform_response.ts";
import { accept, settle } from "../chain/chain.ts";
import { type Exchange, expireCall } from "../exchange.ts";
import { extrasOf } from "../extras.ts";
import { fail, isDeparture } from "../failure.ts";
import { reportFailure } from "../report_failure.ts";
import { loggerOf } from "../request_logger.ts";
import { Deadline } from "./deadline.ts";
import { end, isReady } from "./end.ts";
import { holdValues } from "./end_tasks.ts";
import type { Flight, Unfinished } from "./in_flight.ts";
import { seal } from "./seal.ts";

/** Responds to a request whose handlers have finished. Synchronous if all end tasks are. */
export function finish<C>(app: Unfinished<C>, exchange: Exchange<C>): Response | Promise<Response> {
  if (isReady(exchange)) return seal(exchange);
  const response = end(exchange);
  return isResponse(response) ? response : track(app, exchange, response);
}

function track<C>(app: Unfinished<C>, exchange: Exchange<C>, response: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const flight = app.inFlight.add(exchange, resolve, reject);
    flight.isDecided = true;
    send(app, flight, response);
  });
}

/** Responds to a request whose handlers are still running, unless a timeout or a shutdown responds first. */
export function finishLater<C>(app: Unfinished<C>, exchange: Exchange<C>, own: Promise<unknown>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const flight = app.inFlight.add(exchange, resolve, reject);
    const { HandlerTimeout } = exchange.runtime.config;
    flight.own = own;
    if (HandlerTimeout > 0) flight.clock = new Deadline(exchange, HandlerTimeout, () => expire(app, flight));
    own.then(
      (value) => takeReturned(app, flight, value),
      (error) => decideByFailure(app, flight, error),
    );
  });
}

/** Ends a request whose handlers have not finished in time. */
function expire<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>): void {
  const { request: exchange } = flight;
  const { method, place, runtime: { config: { HandlerTimeout } } } = exchange;
  loggerOf(exchange).Warn(`Cannot finish ${method} ${rawPath(place)} within ${HandlerTimeout} ms`);
  abandon(app, flight);
}

/** Responds without waiting for the handlers. The values of the request are kept until the handlers have ended. */
function abandon<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>): void {
  const { request: exchange, own } = flight;
  if (own !== undefined && !flight.isDecided) {
    holdValues(exchange, own);
    extrasOf(exchange).isLate = true;
  }
  decideByFailure(app, flight, new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
  expireCall(exchange);
}

/**
 * Ends all requests in flight because the shutdown timeout has expired. The results of their handlers are discarded.
 */
export function cutOff<C>(app: Unfinished<C>): void {
  app.inFlight.endAll((flight) => {
    abandon(app, flight);
    if (flight.isOver) return;
    // There is no time left for asynchronous end tasks.
    app.inFlight.send(flight, new Response(statusText(503), { status: 503, headers: { connection: "close" } }));
  });
}

/** Processes the return value of the first handler and waits for anything it left running. */
function takeReturned<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>, value: unknown): void {
  // If the response is too late, `accept` rejects and releases it.
  if (flight.isDecided) return void accept(flight.request, value);
  const rest = settle(flight.request, 0, value);
  if (rest === undefined) return decide(app, flight);
  rest.then(() => decide(app, flight), (error) => decideByFailure(app, flight, error));
}

function decideByFailure<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>, error: unknown): void {
  if (flight.isDecided) return reportLate(flight.request, error);
  fail(flight.request, error);
  decide(app, flight);
}

/** Ends a request with the current draft. */
function decide<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>): void {
  if (flight.isDecided) return;
  const { request: exchange, clock } = flight;
  flight.isDecided = true;
  clock?.clear();
  // The server adds this header to responses that begin during a shutdown. This response began earlier and would keep
  // its connection open, so the client's next request might be lost.
  if (app.isLeaving) setHeader(exchange.draft, "connection", "close");
  try {
    send(app, flight, isReady(exchange) ? seal(exchange) : end(exchange));
  } catch (error) {
    app.inFlight.fail(flight, error);
  }
}

function send<C>(
  { inFlight }: Unfinished<C>,
  flight: Flight<Exchange<C>>,
  response: Response | Promise<Response>,
): void {
  if (isResponse(response)) return inFlight.send(flight, response);
  response.then((late) => inFlight.send(flight, late), (error) => inFlight.fail(flight, error));
}

/** Reports a late failure, unless the handler failed because its signal was aborted, which is expected. */
function reportLate<C>(exchange: Exchange<C>, error: unknown): void {
  const { method, place, watch } = exchange;
  if (watch !== undefined && (error === watch.signal.reason || isDeparture(exchange, error))) return;
  reportFailure(exchange, error, `Cannot finish ${method} ${rawPath(place)} after its response was sent`);
}
