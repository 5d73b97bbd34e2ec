/**
 * Ends a request exactly once, from top to bottom: the handlers, a timeout or a shutdown decide the response, whichever
 * comes first. The states of the table in `ending.ts` complete the draft, the draft becomes the response, and the tasks
 * that wait for the response run when it has been sent.
 *
 * @module
 */

import { isThenable } from "../../../base/async/thenable.ts";
import { HTTPError, statusText } from "../../../base/errors/errors.ts";
import { toError } from "../../../base/errors/to_error.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { isStreamed, setHeader } from "../../../http/response/draft.ts";
import { accept, settle } from "../chain/chain.ts";
import { type Exchange, expireCall } from "../exchange.ts";
import { extrasOf } from "../extras.ts";
import { fail, isDeparture, reportThrown } from "../failure.ts";
import { trail } from "../peer/outer_call.ts";
import { reportFailure } from "../report_failure.ts";
import { loggerOf } from "../request_logger.ts";
import { Deadline } from "./deadline.ts";
import { holdValues, runNow, whenRead } from "./end_tasks.ts";
import { closeTo, type Ending, endingOf, type State, type Task, transitions, writeAsOwner } from "./ending.ts";
import { checkPage, runErrorHandlers, writeStatus } from "./error_page.ts";
import type { Flight, Unfinished } from "./in_flight.ts";
import { seal } from "./seal.ts";

/** Responds to a request whose handlers have finished. Synchronous if its error handlers and end tasks are. */
// Synchronous requests create no closures, which would cost 20 ns in every function that contains one.
export function finish<C>(app: Unfinished<C>, exchange: Exchange<C>): Response | Promise<Response> {
  const response = respond(exchange);
  return response instanceof Promise ? track(app, exchange, response) : response;
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

/** Processes the return value of the first handler and waits for anything it left running. */
function takeReturned<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>, value: unknown): void {
  // If the response is too late, `accept` rejects and releases it.
  if (flight.isDecided) return void accept(flight.request, value);
  const rest = settle(flight.request, 0, value);
  return rest === undefined ? decide(app, flight) : decideAfter(app, flight, rest);
}

function decideAfter<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>, rest: Promise<void>): void {
  rest.then(() => decide(app, flight), (error) => decideByFailure(app, flight, error));
}

/** Ends a request whose handlers have not finished in time. */
function expire<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>): void {
  const { request: exchange } = flight;
  const { method, place, runtime: { config: { HandlerTimeout } } } = exchange;
  loggerOf(exchange).Warn(`Cannot finish ${method} ${rawPath(place)} within ${HandlerTimeout} ms`);
  abandon(app, flight);
}

/** Ends all requests in flight after the shutdown timeout. The results of their handlers are discarded. */
export function cutOff<C>(app: Unfinished<C>): void {
  app.inFlight.endAll((flight) => {
    abandon(app, flight);
    if (flight.isOver) return;
    // There is no time left for asynchronous end tasks.
    app.inFlight.send(flight, new Response(statusText(503), { status: 503, headers: { connection: "close" } }));
  });
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

function decideByFailure<C>(app: Unfinished<C>, flight: Flight<Exchange<C>>, error: unknown): void {
  if (flight.isDecided) return reportLate(flight.request, error);
  fail(flight.request, error);
  decide(app, flight);
}

/** Reports a late failure, unless the handler failed because its signal was aborted, which is expected. */
function reportLate<C>(exchange: Exchange<C>, error: unknown): void {
  const { method, place, watch } = exchange;
  if (watch !== undefined && (error === watch.signal.reason || isDeparture(exchange, error))) return;
  reportFailure(exchange, error, `Cannot finish ${method} ${rawPath(place)} after its response was sent`);
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
    const response = respond(exchange);
    if (response instanceof Promise) send(app, flight, response);
    else app.inFlight.send(flight, response);
  } catch (error) {
    app.inFlight.fail(flight, error);
  }
}

function send<C>({ inFlight }: Unfinished<C>, flight: Flight<Exchange<C>>, response: Promise<Response>): void {
  response.then((late) => inFlight.send(flight, late), (error) => inFlight.fail(flight, error));
}

/** Turns the draft into the response. Most drafts can be sent without further work. */
function respond<C>(exchange: Exchange<C>): Response | Promise<Response> {
  const { draft: { status }, body, watch } = exchange;
  if (status < 400 && exchange.ending === undefined && !body?.isHeld && watch === undefined) {
    try {
      return seal(exchange);
    } catch {
      // It fails again below, where the states handle the failure.
    }
  }
  const ending = endingOf(exchange);
  ending.state = status < 400 ? "tasks" : "page";
  return proceed(exchange, ending);
}

/** The work of the states in which the response may still change. It returns a promise if there is one to await. */
const work: Readonly<Partial<Record<State, <C>(exchange: Exchange<C>, ending: Ending) => void | Promise<void>>>> = {
  page: runErrorHandlers,
  check: checkPage,
  bare: writeStatus,
  tasks: runTasks,
  mend: checkPage,
};

/** Does the work of each state until the response is ready. */
function proceed<C>(exchange: Exchange<C>, ending: Ending): Response | Promise<Response> {
  for (let run = work[ending.state]; run !== undefined; run = work[ending.state]) {
    ending.isAtWork = true;
    try {
      const waiting = run(exchange, ending);
      if (waiting instanceof Promise) return proceedAfter(waiting, exchange, ending);
      ending.state = transitions[ending.state].done;
    } catch (error) {
      recover(exchange, ending, error);
    } finally {
      ending.isAtWork = false;
    }
  }
  return complete(exchange, ending);
}

async function proceedAfter<C>(waiting: Promise<void>, exchange: Exchange<C>, ending: Ending): Promise<Response> {
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

/**
 * Runs the tasks that may still change the response: those of `beforeResponse` in order of registration, then the
 * others. A task may add further tasks. If a task fails, the remaining tasks run when this function is called again.
 */
function runTasks<C>(exchange: Exchange<C>, ending: Ending): void | Promise<void> {
  for (let task = nextTask(ending); task !== undefined; task = nextTask(ending)) {
    const waiting = task();
    if (isThenable(waiting)) return runTasksAfter(waiting, exchange, ending);
  }
}

async function runTasksAfter<C>(waiting: Promise<unknown>, exchange: Exchange<C>, ending: Ending): Promise<void> {
  await waiting;
  await writeAsOwner(exchange, () => runTasks(exchange, ending));
}

function nextTask({ before, send }: Ending): Task | undefined {
  // Removing the first task of several takes 60 ns.
  return (before?.length === 1 ? before.pop() : before?.shift()) ?? send?.pop();
}

/** Turns the completed draft into the response, and schedules the tasks that run when the response has been sent. */
function complete<C>(exchange: Exchange<C>, ending: Ending): Response | Promise<Response> {
  const { body, extras, watch } = exchange;
  let response: Response;
  ending.isAtWork = true;
  try {
    response = seal(exchange);
  } catch (error) {
    recover(exchange, ending, error);
    return proceed(exchange, ending);
  }
  ending.state = "sent";
  watch?.release();
  // The first task in the list runs last. Other tasks may still read the body.
  if (body?.isHeld) (ending.last ??= []).unshift(() => body.close());
  if (ending.after?.length || ending.last?.length || extras?.isLate) return runLater(exchange, ending, response);
  ending.state = "over";
  return response;
}

/** Runs the tasks when the response has been sent or, without a connection, when its body has been read. */
function runLater<C>(exchange: Exchange<C>, ending: Ending, response: Response): Response | Promise<Response> {
  const { connection, draft, extras, target } = exchange;
  const run = () => runAll(exchange, ending);
  const runBehind = (sent: Promise<void>) => {
    trail(target, sent.then(run, run));
    return sent;
  };
  if (connection?.completed !== undefined) {
    runBehind(connection.completed);
    return response;
  }
  // A handler that was abandoned by a timeout must not delay the response.
  const finish = extras?.isLate ? () => runBehind(runAfter(exchange, ending)) : run;
  if (isStreamed(draft) && response.body !== null) return whenRead(response, response.body, finish);
  return finish().then(() => response);
}

/** Runs the tasks registered with `afterResponse`, in reverse order of registration. */
async function runAfter<C>(exchange: Exchange<C>, { after }: Ending): Promise<void> {
  for (let task = after?.pop(); task !== undefined; task = after?.pop()) await runNow(exchange, task);
}

/**
 * Runs the tasks registered with `afterResponse`, and those registered with `afterUse` as soon as nothing holds the
 * values. Each task runs even if others fail.
 */
async function runAll<C>(exchange: Exchange<C>, ending: Ending): Promise<void> {
  const { draft } = exchange;
  await runAfter(exchange, ending);
  // A handler that continues after its timeout may open another stream.
  for (let count = 0; count < (draft.terms?.holds?.length ?? 0);) {
    count = draft.terms?.holds?.length ?? 0;
    await Promise.all(draft.terms?.holds ?? []);
  }
  // Tasks may have been registered in the meantime.
  await runAfter(exchange, ending);
  for (let task = ending.last?.pop(); task !== undefined; task = ending.last?.pop()) await runNow(exchange, task);
  ending.state = "over";
}
