/**
 * The end of a request: from what its handlers left to the response.
 *
 * @module
 */

import { settle } from "../../context/chain.ts";
import { EndTasks, runBefore } from "../../context/end_tasks.ts";
import { bodyToClose, type Exchange } from "../../context/exchange.ts";
import { fail } from "../../context/failure.ts";
import { isStreamed, setHeader } from "../../response/draft.ts";
import { isResponse } from "../../response/platform_response.ts";
import { toHead, toResponse } from "../../response/to_response.ts";
import type { Built } from "../build.ts";
import { scheduleAfter } from "./after_response.ts";
import { needsPage, writeDefault, writePage } from "./error_page.ts";
import { withinTime } from "./handler_timeout.ts";
import type { Flight } from "./in_flight.ts";

/** Responds to a request whose handlers have finished, at once where nothing else is to be done. */
export function finish<C>(built: Built, exchange: Exchange<C>): Response | Promise<Response> {
  if (isPlain(exchange)) return seal(exchange);
  const response = finishAll(built, exchange);
  return isResponse(response) ? response : built.inFlight.track(response);
}

/** Responds to a request whose handlers are still at work, unless a stop responds first because its time is up. */
export function finishLater<C>(built: Built, exchange: Exchange<C>, own: Promise<unknown>): Promise<Response> {
  const work = built.runtime.config.HandlerTimeout > 0 ? withinTime(exchange, own) : own;
  return new Promise((resolve, reject) => {
    const flight = built.inFlight.add(resolve, reject);
    work.then((value) => approach(built, exchange, flight, value), (error) => {
      fail(exchange, error);
      land(built, exchange, flight);
    });
  });
}

/** Waits for what the first handler left behind, if it did. */
function approach<C>(built: Built, exchange: Exchange<C>, flight: Flight, value: unknown): void {
  const more = settle(exchange, 0, value);
  if (more === undefined) return land(built, exchange, flight);
  more.then(() => land(built, exchange, flight), (error) => {
    fail(exchange, error);
    land(built, exchange, flight);
  });
}

function land<C>(built: Built, exchange: Exchange<C>, flight: Flight): void {
  const { inFlight } = built;
  // The server marks the responses that begin during a stop; this one began before it and would keep its connection, on
  // which the client might lose its next request.
  if (built.isLeaving) setHeader(exchange.draft, "connection", "close");
  try {
    if (isPlain(exchange)) return inFlight.send(flight, seal(exchange));
    const response = finishAll(built, exchange);
    if (isResponse(response)) return inFlight.send(flight, response);
    response.then((late) => inFlight.send(flight, late), (error) => inFlight.fail(flight, error));
  } catch (error) {
    inFlight.fail(flight, error);
  }
}

/** Reports whether the draft only has to be sent, as most have. */
function isPlain<C>(exchange: Exchange<C>): boolean {
  return exchange.draft.status < 400 && exchange.tasks === undefined && exchange.body === undefined;
}

function finishAll<C>(built: Built, exchange: Exchange<C>): Response | Promise<Response> {
  if (needsPage(exchange.draft)) {
    if (exchange.route.party.errorChain(exchange.draft.status) !== undefined) return finishWithPage(built, exchange);
    writeDefault(exchange);
  }
  if (exchange.tasks === undefined && bodyToClose(exchange) === undefined) return seal(exchange);
  return finishWithTasks(built, exchange);
}

async function finishWithPage<C>(built: Built, exchange: Exchange<C>): Promise<Response> {
  await writePage(exchange);
  return finishWithTasks(built, exchange);
}

/** Runs the last tasks, without a promise where they need none: a session in memory does not. */
function finishWithTasks<C>(built: Built, exchange: Exchange<C>): Response | Promise<Response> {
  const tasks = exchange.tasks ??= new EndTasks();
  try {
    const waiting = runBefore(tasks);
    return waiting === undefined ? leave(built, exchange, tasks) : leaveLater(built, exchange, tasks, waiting);
  } catch (error) {
    fail(exchange, error);
    return leaveLater(built, exchange, tasks, writePage(exchange));
  }
}

async function leaveLater<C>(
  built: Built,
  exchange: Exchange<C>,
  tasks: EndTasks,
  waiting: Promise<void>,
): Promise<Response> {
  try {
    await waiting;
  } catch (error) {
    fail(exchange, error);
    await writePage(exchange);
  }
  return leave(built, exchange, tasks);
}

function leave<C>(built: Built, exchange: Exchange<C>, tasks: EndTasks): Response | Promise<Response> {
  const { draft, watch } = exchange;
  const body = bodyToClose(exchange);
  // First in the list is last to run: other tasks may still want to read from it.
  if (body !== undefined) tasks.after.unshift(() => body.close());
  const response = seal(exchange);
  const followed = watch === undefined ? response : watch.follow(response, isStreamed(draft));
  return scheduleAfter(built, exchange, followed);
}

function seal<C>(exchange: Exchange<C>): Response {
  const end = exchange.method === "HEAD" ? toHead : toResponse;
  try {
    const response = end(exchange.draft);
    exchange.draft.lateWrites = exchange;
    return response;
  } catch (error) {
    // A Response whose body was read already, say: found out only when a new one is created from it.
    fail(exchange, error);
    writeDefault(exchange);
    return end(exchange.draft);
  }
}
