/**
 * The end of a request, once: error page, end tasks, response, and what comes after it.
 *
 * The first to decide the response, the handlers, a time limit or a stop, closes the draft to all others: from then
 * on only error handlers and end tasks may write, and when the response is sent no one may.
 *
 * @module
 */

import { HTTPError } from "../../base/errors.ts";
import { toError } from "../../base/to_error.ts";
import { accept, settle } from "../../context/chain/chain.ts";
import type { Context } from "../../context/context.ts";
import { EndTasks, runBefore } from "../../context/ending/end_tasks.ts";
import { bodyToClose, type Exchange } from "../../context/exchange.ts";
import { fail, reportThrown } from "../../context/failure.ts";
import { reportFailure } from "../../context/report_failure.ts";
import { writeAsOwner, writersOf } from "../../context/ending/writers.ts";
import { rawPath } from "../../http/request_url.ts";
import { isStreamed, setHeader } from "../../response/draft.ts";
import { isResponse } from "../../response/platform_response.ts";
import { statusText } from "../../response/status_text.ts";
import { toHead, toResponse } from "../../response/to_response.ts";
import type { Built } from "../build.ts";
import { scheduleAfter } from "./after_response.ts";
import { writeDefault, writePage } from "./error_page.ts";
import { startClock } from "./handler_timeout.ts";
import type { Flight } from "./in_flight.ts";

/** A request that comes to its end. */
type Ended = Exchange<Context>;

/** Responds to a request whose handlers have finished, at once if nothing of its end takes time. */
export function finish(built: Built, exchange: Ended): Response | Promise<Response> {
  if (isReady(exchange)) return respond(exchange);
  const response = end(built, exchange);
  if (isResponse(response)) return response;
  return new Promise((resolve, reject) => {
    const flight = built.inFlight.add(exchange, resolve, reject);
    flight.isDecided = true;
    send(built, flight, response);
  });
}

/** Responds to a request whose handlers are still at work, unless a time limit or a stop responds first. */
export function finishLater(built: Built, exchange: Ended, own: Promise<unknown>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const flight = built.inFlight.add(exchange, resolve, reject);
    flight.clock = startClock(exchange, (error) => decideByFailure(built, flight, error));
    own.then(
      (value) => takeReturned(built, flight, value),
      (error) => decideByFailure(built, flight, error),
    );
  });
}

/** Ends all requests in flight, because the time of a stop is up. Their handlers go on in vain. */
export function cutOff(built: Built): void {
  built.inFlight.endAll((flight) => {
    decideByFailure(built, flight, new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
    // End tasks that take time get none.
    if (!flight.isOver) built.inFlight.send(flight, bareUnavailable());
  });
}

/** Takes what the first handler returned, and waits for what it left behind. */
function takeReturned(built: Built, flight: Flight<Ended>, value: unknown): void {
  // A response that comes too late is refused there, and released.
  if (flight.isDecided) return accept(flight.request, value);
  const rest = settle(flight.request, 0, value);
  if (rest === undefined) return decide(built, flight);
  rest.then(() => decide(built, flight), (error) => decideByFailure(built, flight, error));
}

function decideByFailure(built: Built, flight: Flight<Ended>, error: unknown): void {
  if (flight.isDecided) return reportLate(flight.request, error);
  fail(flight.request, error);
  decide(built, flight);
}

/** Ends a request with the draft as it stands. */
function decide(built: Built, flight: Flight<Ended>): void {
  if (flight.isDecided) return;
  const { request: exchange, clock } = flight;
  flight.isDecided = true;
  if (clock !== undefined) clearTimeout(clock);
  // The server marks the responses that begin during a stop; this one began before it and would keep its connection, on
  // which the client might lose its next request.
  if (built.isLeaving) setHeader(exchange.draft, "connection", "close");
  try {
    send(built, flight, isReady(exchange) ? respond(exchange) : end(built, exchange));
  } catch (error) {
    built.inFlight.fail(flight, error);
  }
}

function send({ inFlight }: Built, flight: Flight<Ended>, response: Response | Promise<Response>): void {
  if (isResponse(response)) return inFlight.send(flight, response);
  response.then((late) => inFlight.send(flight, late), (error) => inFlight.fail(flight, error));
}

/** Reports whether the draft only has to be sent, as most have. */
function isReady({ draft, tasks, body }: Ended): boolean {
  return draft.status < 400 && tasks === undefined && body === undefined;
}

/** The end of a request in its order: error page, end tasks, response, and what comes after it. */
function end(built: Built, exchange: Ended): Response | Promise<Response> {
  const page = writePage(exchange);
  const tasks = page === undefined ? runTasks(exchange) : closed(exchange, page).then(() => runTasks(exchange));
  if (tasks === undefined) return sendOff(built, exchange);
  return closed(exchange, tasks).then(() => writeAsOwner(exchange, () => sendOff(built, exchange)));
}

/** Closes the draft to handlers that are late, because time passes until the response is sent. */
function closed<T>(exchange: Ended, waiting: Promise<T>): Promise<T> {
  writersOf(exchange).isEnding = true;
  exchange.draft.gate = exchange;
  return waiting;
}

/** Runs the end tasks, without a promise if they need none, as a session in memory. The first failure decides. */
function runTasks(exchange: Ended): Promise<void> | undefined {
  if (exchange.tasks === undefined) return undefined;
  let hasFailed = false;
  return runBefore(exchange, (error) => {
    if (hasFailed) return void reportThrown(exchange, toError(error));
    hasFailed = true;
    return writeAsOwner(exchange, () => {
      fail(exchange, error);
      return writePage(exchange);
    });
  });
}

function sendOff(built: Built, exchange: Ended): Response | Promise<Response> {
  const { draft, watch } = exchange;
  const body = bodyToClose(exchange);
  // First in the list is last to run: other tasks may still want to read from it.
  if (body !== undefined) (exchange.tasks ??= new EndTasks()).after.unshift(() => body.close());
  const response = respond(exchange);
  const followed = watch === undefined ? response : watch.follow(response, isStreamed(draft));
  return scheduleAfter(built, exchange, followed);
}

/** Turns the draft into the response. No one can write from then on. */
function respond(exchange: Ended): Response {
  const { draft } = exchange;
  const create = exchange.method === "HEAD" ? toHead : toResponse;
  let response: Response;
  try {
    response = create(draft);
  } catch (error) {
    // A Response whose body was read already, for example: only creating a new one from it shows that.
    fail(exchange, error);
    writeDefault(exchange);
    response = create(draft);
  }
  draft.gate = exchange;
  exchange.writers = undefined;
  return response;
}

/** A handler that fails because its signal was aborted did what it should. */
function reportLate(exchange: Ended, error: unknown): void {
  const { method, place, watch } = exchange;
  if (watch !== undefined && error === watch.signal.reason) return;
  reportFailure(exchange, error, `Cannot finish ${method} ${rawPath(place)}, which has its response already`);
}

function bareUnavailable(): Response {
  return new Response(statusText(503), { status: 503, headers: { connection: "close" } });
}
