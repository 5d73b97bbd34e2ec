/**
 * Registers tasks to run at the end of a request, either when its handlers have finished or when its response has been
 * sent. `finish.ts` runs them.
 *
 * @module
 */

import { assertFunction } from "../../../base/config/returned.ts";
import { inContext } from "../../../base/async/async_context.ts";
import { hold, isShut } from "../../../http/response/draft.ts";
import { type Exchange, watchOf } from "../exchange.ts";
import { type Ended, endingOf, existingEnding, runAsOwner, type Task } from "./ending.ts";

/** A request that logs tasks which fail after the response was sent. */
interface Logged extends Ended {
  reportEndFailure(error: unknown): void;
}

/**
 * Registers a task to run when the handlers have finished, before the response is sent. The task may change the
 * response, and its failure fails the request. After an `await`, the task must write with `writeAsOwner`. Reports
 * whether the task will run.
 */
export function beforeResponse(ended: Ended, task: Task): boolean {
  if (isShut(ended.draft)) return false;
  const ending = endingOf(ended);
  // Adding to an empty array reserves space for 17 tasks.
  if (ending.before === undefined) ending.before = [task];
  else ending.before.push(task);
  return true;
}

/**
 * Registers a task to run just before the response is sent, when everything else has been set, including session
 * cookies. Tasks run in reverse order of registration, like middleware on the way out.
 */
export function beforeSending(ended: Ended, task: Task): void {
  if (!isShut(ended.draft)) (endingOf(ended).send ??= []).push(task);
}

/** Registers a task like {@linkcode beforeSending} that may also write to the response after an `await`. */
export function onSend(ended: Ended, task: Task): void {
  assertFunction(task, "a task");
  beforeSending(ended, () => runAsOwner(ended, task));
}

/**
 * Registers a task to run when the response has been sent or has failed. Tasks run in reverse order of registration, in
 * the asynchronous context in which they were registered, and their errors are only logged. If the request is already
 * over, for example in a handler that continues after its timeout, the task runs immediately.
 */
export function afterResponse(ended: Logged, task: Task): void {
  if (isOver(ended)) return void runNow(ended, task);
  (endingOf(ended).after ??= []).push(inContext(task));
}

/**
 * Registers a task that disposes of a value when nothing uses it anymore: the response has been sent, its source is
 * closed, and handlers that were abandoned by a timeout have ended. Otherwise, it is like {@linkcode afterResponse}.
 */
export function afterUse(ended: Logged, task: Task): void {
  if (isOver(ended)) return void runNow(ended, task);
  (endingOf(ended).last ??= []).push(inContext(task));
}

/** Registers a user's task to run when the response has been sent. The task may still read the request headers. */
export function onClose(ended: Logged & { readonly request: Request }, task: Task): void {
  // Deno only keeps the headers after the response if they have been read before.
  void ended.request.headers;
  assertFunction(task, "a task");
  afterResponse(ended, task);
}

/** Registers a user's task to run if the client disconnects. Its errors are only logged. */
export function onDisconnect<C>(exchange: Exchange<C>, task: Task): void {
  assertFunction(task, "a task");
  watchOf(exchange).whenGone(() => void runNow(exchange, task));
}

/**
 * Delays the tasks registered with {@linkcode afterUse} until a promise is settled. Used for handlers that continue
 * after their response was decided.
 */
export function holdValues(ended: Ended, promise: Promise<unknown>): void {
  endingOf(ended);
  hold(ended.draft, promise);
}

/** Forgets an ending whose tasks have run, to save memory while a connection is open. */
export function releaseEnding(ended: Ended): void {
  if (!existingEnding(ended)?.after?.length) ended.ending = undefined;
}

function isOver(ended: Ended): boolean {
  const ending = existingEnding(ended);
  return ending === undefined ? ended.draft.gate !== undefined : ending.state === "over";
}

/** Runs a task whose failure cannot change the response anymore, so that it is only logged. */
export function runNow(ended: Logged, task: Task): Promise<unknown> {
  return Promise.try(task).catch((error) => ended.reportEndFailure(error));
}

/** Returns a response that calls a function when its body has been read, has failed or is canceled. */
export function whenRead(response: Response, body: ReadableStream<Uint8Array>, finish: () => Promise<void>): Response {
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
      try {
        await reader.cancel(reason);
      } finally {
        await finish();
      }
    },
  });
  return new Response(watched, response);
}
