/**
 * Takes a request from the decision to its response: does the work of each state of its ending, in the order of the
 * table in `ending.ts`.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";
import { toError } from "../../../base/errors/to_error.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import type { Exchange } from "../exchange.ts";
import { fail, reportThrown } from "../failure.ts";
import { loggerOf } from "../request_logger.ts";
import { runTasks, scheduleAfter } from "./end_tasks.ts";
import { closeTo, type Ending, endingOf, type State, transitions, writeAsOwner } from "./ending.ts";
import { checkPage, runErrorHandlers, writeStatus } from "./error_page.ts";
import { seal } from "./seal.ts";

/** Does the work of a state. Returns a promise only if there is something to wait for. */
type Work = <C>(exchange: Exchange<C>, ending: Ending) => void | Promise<void>;

/** The work of the states in which the response may still change. */
const work: Readonly<Partial<Record<State, Work>>> = {
  page: runErrorHandlers,
  check: checkPage,
  bare: writeStatus,
  tasks: runTasks,
};

/** Reports whether the draft can be sent without further work, which is true for most drafts. */
export function isReady<C>({ draft, ending, body, watch }: Exchange<C>): boolean {
  return draft.status < 400 && ending === undefined && body === undefined && watch === undefined;
}

/** Ends a request. Synchronous if its error handlers and end tasks are. */
// Synchronous requests create no closures, which would cost 20 ns in every function that contains one.
export function end<C>(exchange: Exchange<C>): Response | Promise<Response> {
  const ending = endingOf(exchange);
  const { done, failed } = transitions.open;
  ending.state = exchange.draft.status < 400 ? done : failed ?? done;
  return proceed(exchange, ending);
}

/** Does the work of each state until the response is ready. */
function proceed<C>(exchange: Exchange<C>, ending: Ending): Response | Promise<Response> {
  for (let run = work[ending.state]; run !== undefined; run = work[ending.state]) {
    const waiting = step(exchange, ending, run);
    if (waiting !== undefined) return proceedAfter(waiting, exchange, ending);
  }
  return send(exchange, ending);
}

async function proceedAfter<C>(
  waiting: Promise<void>,
  exchange: Exchange<C>,
  ending: Ending,
): Promise<Response> {
  // It takes time until the response is sent, so the draft is closed to handlers that run late.
  exchange.draft.gate = exchange;
  try {
    await inTime(waiting, exchange, ending);
    ending.state = transitions[ending.state].done;
  } catch (error) {
    writeAsOwner(exchange, () => recover(exchange, ending, error));
  }
  return proceed(exchange, ending);
}

/** The least time for error handlers and end tasks: a short timeout of the handlers must not lose a session. */
const leastTime = 1000;

/** Waits for error handlers and end tasks, which have as much time as the handlers had. */
async function inTime<C>(waiting: Promise<void>, exchange: Exchange<C>, ending: Ending): Promise<void> {
  const { method, place, runtime: { config: { HandlerTimeout } } } = exchange;
  if (HandlerTimeout <= 0) return await waiting;
  const time = Math.max(HandlerTimeout, leastTime);
  const late = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    loggerOf(exchange).Warn(`Cannot end ${method} ${rawPath(place)} within ${time} ms`);
    // Code that runs late must not write to the response that replaces its own.
    if (ending.owner !== undefined) closeTo(exchange, ending.owner);
    ending.owner = undefined;
    late.reject(new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
  }, time);
  try {
    await Promise.race([waiting, late.promise]);
  } finally {
    clearTimeout(clock);
  }
}

/** Does the work of the current state, and moves on to the next one unless there is something to wait for. */
function step<C>(exchange: Exchange<C>, ending: Ending, run: Work): Promise<void> | undefined {
  ending.isAtWork = true;
  try {
    const waiting = run(exchange, ending);
    if (waiting instanceof Promise) return waiting;
    ending.state = transitions[ending.state].done;
  } catch (error) {
    recover(exchange, ending, error);
  } finally {
    ending.isAtWork = false;
  }
  return undefined;
}

/** Turns the failure of the current state into the response. */
function recover<C>(exchange: Exchange<C>, ending: Ending, error: unknown): void {
  const { failed } = transitions[ending.state];
  if (failed === undefined) throw error;
  // If several tasks fail, the first failure is used.
  if (ending.state === "tasks" && ending.hasFailed) return reportThrown(exchange, toError(error));
  ending.hasFailed ||= ending.state === "tasks";
  fail(exchange, error);
  ending.state = failed;
}

/** Turns the draft into the response, and schedules the tasks that run when the response has been sent. */
function send<C>(exchange: Exchange<C>, ending: Ending): Response | Promise<Response> {
  const { body, watch } = exchange;
  // The first task in the list runs last. Other tasks may still read the body.
  if (body?.isHeld) (ending.last ??= []).unshift(() => body.close());
  ending.isAtWork = true;
  const response = seal(exchange);
  ending.state = transitions.seal.done;
  watch?.release();
  return scheduleAfter(exchange, ending, response);
}
