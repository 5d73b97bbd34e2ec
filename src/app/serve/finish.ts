/**
 * Finishes a request exactly once. Writes the error page, runs the end tasks, sends the response, and then runs the
 * remaining tasks.
 *
 * The response is decided by the handlers, a timeout or a shutdown, whichever comes first. After that, only error
 * handlers and end tasks may write to the draft. When the response has been sent, nothing may write to it anymore.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";
import { HTTPError } from "../../errors/errors.ts";
import { statusText } from "../../errors/status_text.ts";
import { toError } from "../../errors/to_error.ts";
import { accept, settle } from "../../exchange/chain/chain.ts";
import { belowRoot } from "../../exchange/public_url.ts";
import { EndTasks, holdValues, runBefore } from "../../exchange/ending/end_tasks.ts";
import { writeAsOwner, writersOf } from "../../exchange/ending/writers.ts";
import { bodyToClose, type Exchange } from "../../exchange/exchange.ts";
import { isDeparture } from "../../exchange/departure.ts";
import { fail, reportThrown } from "../../exchange/failure.ts";
import { reportFailure } from "../../exchange/report_failure.ts";
import { rawPath } from "../../http/request_url.ts";
import { isStreamed, isWritten, setHeader } from "../../response/draft.ts";
import { isResponse } from "../../response/platform_response.ts";
import { noteResponse } from "../../response/taken_chunks.ts";
import { quickResponse, toHead, toResponse } from "../../response/to_response.ts";
import type { Built } from "../build/build.ts";
import type { Flight } from "../build/in_flight.ts";
import { scheduleAfter } from "./after_response.ts";
import { writeDefault, writePage } from "./error_page.ts";
import { startClock } from "./handler_timeout.ts";
import { watchBody } from "./sent_body.ts";

/** A request that is being finished. */
type Ended = Exchange<Context>;

/** Responds to a request whose handlers have finished. Synchronous if all end tasks are. */
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

/** Responds to a request whose handlers are still running, unless a timeout or a shutdown responds first. */
export function finishLater(built: Built, exchange: Ended, own: Promise<unknown>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const flight = built.inFlight.add(exchange, resolve, reject);
    flight.clock = startClock(exchange, (error) => {
      holdValues(exchange, own);
      exchange.isLate = true;
      decideByFailure(built, flight, error);
    });
    own.then(
      (value) => takeReturned(built, flight, value),
      (error) => decideByFailure(built, flight, error),
    );
  });
}

/**
 * Ends all requests in flight because the shutdown timeout has expired. The results of their handlers are discarded.
 */
export function cutOff(built: Built): void {
  built.inFlight.endAll((flight) => {
    decideByFailure(built, flight, new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
    // There is no time left for asynchronous end tasks.
    if (!flight.isOver) built.inFlight.send(flight, bareUnavailable());
  });
}

/** Processes the return value of the first handler and waits for anything it left running. */
function takeReturned(built: Built, flight: Flight<Ended>, value: unknown): void {
  // If the response is too late, `accept` rejects and releases it.
  if (flight.isDecided) return void accept(flight.request, value);
  const rest = settle(flight.request, 0, value);
  if (rest === undefined) return decide(built, flight);
  rest.then(() => decide(built, flight), (error) => decideByFailure(built, flight, error));
}

function decideByFailure(built: Built, flight: Flight<Ended>, error: unknown): void {
  if (flight.isDecided) return reportLate(flight.request, error);
  fail(flight.request, error);
  decide(built, flight);
}

/** Ends a request with the current draft. */
function decide(built: Built, flight: Flight<Ended>): void {
  if (flight.isDecided) return;
  const { request: exchange, clock } = flight;
  flight.isDecided = true;
  if (clock !== undefined) clearTimeout(clock);
  // The server adds this header to responses that begin during a shutdown. This response began earlier and would keep
  // its connection open, so the client's next request might be lost.
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

/** Reports whether the draft can be sent without further work, which is true for most drafts. */
function isReady({ draft, tasks, body }: Ended): boolean {
  return draft.status < 400 && tasks === undefined && body === undefined;
}

/**
 * Finishes a request. Writes the error page, runs the end tasks, creates the response, and schedules the tasks that run
 * after the response, in that order.
 */
function end(built: Built, exchange: Ended): Response | Promise<Response> {
  const page = writePage(exchange);
  const tasks = page === undefined ? runTasks(exchange) : closed(exchange, page).then(() => runTasks(exchange));
  if (tasks === undefined) return sendOff(built, exchange);
  return closed(exchange, tasks).then(() => writeAsOwner(exchange, () => sendOff(built, exchange)));
}

/** Closes the draft to handlers that run late, because it takes time until the response is sent. */
function closed<T>(exchange: Ended, waiting: Promise<T>): Promise<T> {
  writersOf(exchange).isEnding = true;
  exchange.draft.gate = exchange;
  return waiting;
}

/**
 * Runs the end tasks. A promise is created only if it is needed, which is not the case for sessions in memory. If
 * several tasks fail, the first failure is used.
 */
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
  const { watch } = exchange;
  const body = bodyToClose(exchange);
  // The first task in the list runs last. Other tasks may still read the body.
  if (body !== undefined) (exchange.tasks ??= new EndTasks()).last.unshift(() => body.close());
  const response = respond(exchange);
  watch?.release();
  return scheduleAfter(built, exchange, response);
}

/** Turns the draft into the response. Nothing can be written afterwards. */
function respond(exchange: Ended): Response {
  const { draft } = exchange;
  const quick = exchange.method === "HEAD" ? undefined : quickResponse(draft);
  if (quick !== undefined) {
    draft.gate = exchange;
    exchange.writers = undefined;
    return quick;
  }
  if (draft.body === undefined && exchange.runtime.development !== undefined) warnOfEmpty(exchange);
  const create = exchange.method === "HEAD" ? toHead : toResponse;
  let response: Response;
  try {
    response = create(draft);
  } catch (error) {
    // For example, the body of a returned Response may already have been read, which is detected only when a new one is
    // created from it.
    fail(exchange, error);
    writeDefault(exchange);
    response = create(draft);
  }
  draft.gate = exchange;
  exchange.writers = undefined;
  const isPlain = draft.headers === undefined && draft.response === undefined;
  const placed = isPlain ? response : withPrefix(exchange, response);
  if (!isStreamed(draft)) return placed;
  const watched = watchBody(exchange, placed);
  if (draft.body instanceof ReadableStream) noteResponse(draft.body, watched);
  return watched;
}

/** Adds the prefix of a mounted application to a path in the `Location` header. */
function withPrefix({ target }: Ended, response: Response): Response {
  if (target.outer === undefined || response.status === 101) return response;
  const location = response.headers.get("location");
  const placed = location === null ? null : belowRoot(target.prefix, location);
  if (placed === null || placed === location) return response;
  // The headers of a returned Response may be immutable.
  const changed = new Response(response.body, response);
  changed.headers.set("location", placed);
  return changed;
}

/** Warns developers if a chain ends without a response, for example because of a missing `ctx.Next()`. */
function warnOfEmpty({ draft, method, route: { info }, chain, runtime }: Ended): void {
  const isEmpty = draft.status === 200 && !draft.isStatusSet && !isWritten(draft) && draft.upgrade === undefined;
  if (!isEmpty || info === undefined || method === "HEAD" || method === "OPTIONS") return;
  runtime.development?.warnOfEmpty({ route: info, chain: chain.handlers, at: chain.index });
}

/** Reports a late failure, unless the handler failed because its signal was aborted, which is expected. */
function reportLate(exchange: Ended, error: unknown): void {
  const { method, place, watch } = exchange;
  if (watch !== undefined && (error === watch.signal.reason || isDeparture(exchange, error))) return;
  reportFailure(exchange, error, `Cannot finish ${method} ${rawPath(place)} after its response was sent`);
}

function bareUnavailable(): Response {
  return new Response(statusText(503), { status: 503, headers: { connection: "close" } });
}
