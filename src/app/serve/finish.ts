/**
 * The end of a request: the error page if it needs one, last tasks, and the response.
 *
 * @module
 */

import { HTTPError, isDescribing } from "../../base/errors.ts";
import type { ServedFailure } from "../../context/app_runtime.ts";
import { runChain, settle } from "../../context/chain.ts";
import { EndTasks, runAfter, runBefore } from "../../context/end_tasks.ts";
import { bodyToClose, type Exchange, loggerOf, replaceChain } from "../../context/exchange.ts";
import { fail } from "../../context/stop.ts";
import { chooseType } from "../../http/header.ts";
import { rawPath } from "../../http/request_line.ts";
import { type Draft, isStreamed, isWritten, setHeader, writeTyped } from "../../response/draft.ts";
import { prefersProblem, statusText, writeProblem } from "../../response/standard_response.ts";
import { toHead, toResponse } from "../../response/to_response.ts";
import type { Built } from "../build.ts";
import type { Flight } from "./in_flight.ts";

/** Responds to a request whose handlers have finished, at once where nothing else is to be done. */
export function finish<C>(built: Built, exchange: Exchange<C>): Response | Promise<Response> {
  if (isPlain(exchange)) return seal(exchange);
  const response = finishAll(built, exchange);
  return response instanceof Response ? response : built.inFlight.track(response);
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
    if (response instanceof Response) return inFlight.send(flight, response);
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

/** Reports whether the response is an error without a body. */
function needsPage(draft: Draft): boolean {
  return draft.status >= 400 && !isWritten(draft);
}

/** Lets the error handlers of the nearest party write the body, once: one that fails itself gets the bare status. */
async function writePage<C>(exchange: Exchange<C>): Promise<void> {
  const { draft } = exchange;
  if (!needsPage(draft)) return;
  const { status } = draft;
  const handlers = exchange.route.party.errorChain(status);
  if (handlers !== undefined) {
    try {
      replaceChain(exchange, handlers);
      await runChain(exchange);
      // A page returned as `new Response(html)` says nothing of the status: it is still that of the error.
      if (draft.response !== undefined && draft.status === 200) draft.status = status;
    } catch (error) {
      fail(exchange, error);
    }
  }
  if (needsPage(draft)) writeDefault(exchange);
}

/**
 * The default body: problem details where the error has some or the client asks for JSON, else the message of an error
 * that the client may see, else the status text.
 */
function writeDefault<C>(exchange: Exchange<C>): void {
  const { draft, error, request, runtime } = exchange;
  // The type that a handler had in mind was for a body that never came.
  draft.type = "";
  const accept = request.headers.get("accept") ?? "";
  if (runtime.developmentPage !== undefined && isForBrowser(accept)) {
    return writeTyped(draft, runtime.developmentPage(failureOf(exchange)), runtime.htmlType);
  }
  if (exchange.isErrorPublic && isDescribing(error)) return writeProblem(draft, error.Problem(), accept);
  const message = exchange.isErrorPublic ? error?.message ?? "" : "";
  if (prefersProblem(accept)) {
    const detail = message === "" ? {} : { detail: message };
    return writeProblem(draft, { type: "about:blank", status: draft.status, ...detail }, accept);
  }
  writeTyped(draft, message !== "" ? message : statusText(draft.status), runtime.textType);
}

function isForBrowser(accept: string): boolean {
  return chooseType(accept, ["text/plain", "text/html"]) === "text/html";
}

function failureOf<C>({ draft, error, request, place, route }: Exchange<C>): ServedFailure {
  return {
    status: draft.status,
    title: statusText(draft.status),
    error,
    request,
    path: rawPath(place),
    route: route.info,
    chain: route.chain,
  };
}

/** Runs the tasks for after the response when it has left; without a connection, when its body was read. */
function scheduleAfter<C>(
  built: Built,
  exchange: Exchange<C>,
  response: Response,
): Response | Promise<Response> {
  const { connection, draft, tasks } = exchange;
  if (tasks === undefined || tasks.after.length === 0) return response;
  function finish(): Promise<void> {
    return tasks === undefined
      ? Promise.resolve()
      : runAfter(tasks, (error) => loggerOf(exchange).Error("Cannot end a request:", error));
  }
  const completed = connection?.completed;
  if (completed !== undefined) {
    const trailing = completed.then(finish, finish).finally(() => built.trailing.delete(trailing));
    built.trailing.add(trailing);
    return response;
  }
  if (!isStreamed(draft) || response.body === null) return finish().then(() => response);
  return whenRead(response, response.body, finish);
}

function whenRead(response: Response, body: ReadableStream<Uint8Array>, finish: () => Promise<void>): Response {
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        await finish();
        controller.close();
      } catch (error) {
        await finish();
        controller.error(error);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await finish();
    },
  });
  return new Response(watched, response);
}

/**
 * Waits for the handlers of a request, but no longer than the configuration allows: then it fails with status 503.
 *
 * @param exchange The request.
 * @param rest The handlers at work.
 * @returns What they resolve to.
 */
async function withinTime<C>(exchange: Exchange<C>, rest: Promise<unknown>): Promise<unknown> {
  const { runtime, method, place } = exchange;
  const limit = runtime.config.HandlerTimeout;
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // First, so that a handler that ends at the signal does not win over the time that it has exceeded.
    expired.reject(new HTTPError(503, "", { Code: "FW_TIMEOUT" }));
    exchange.watch?.expire();
    const act = `Cannot finish ${method} ${rawPath(place)} within ${limit} ms`;
    runtime.host.Logger().Warn(act);
    // The client has its response by then; an error is still worth a line.
    rest.catch((error) => runtime.host.Logger().Error(`${act}, nor later:`, error));
  }, limit);
  try {
    return await Promise.race([rest, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
