/**
 * The end of a request: error pages, last tasks, and the answer.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { Chain, start } from "../context/chain.ts";
import {
  type Context,
  draftOf,
  heldBody,
  infoOf,
  isErrorPublic,
  knownTasks,
  rerun,
  routeOf,
  siteOf,
  tasksOf,
} from "../context/context.ts";
import { isWritten, writeTyped } from "../context/draft.ts";
import { fail } from "../context/failure.ts";
import { toJSON } from "../context/json.ts";
import { ValidationError } from "../context/problem.ts";
import { toHead, toResponse } from "../context/response.ts";
import { runAfter, runBefore, type Tasks } from "../context/tasks.ts";
import type { Built } from "./build.ts";

/** Answers a request whose handlers are through. */
export function answer(built: Built, ctx: Context, isHead: boolean): Response | Promise<Response> {
  if (knownTasks(ctx) !== undefined || heldBody(ctx) !== undefined) return answerWithTasks(built, ctx, isHead);
  if (!needsPage(ctx)) return seal(ctx, isHead);
  const { status } = draftOf(ctx);
  if (routeOf(ctx).scope.errorChain(status) !== undefined) return answerWithTasks(built, ctx, isHead);
  writeDefault(ctx);
  return seal(ctx, isHead);
}

/** Answers a request whose handlers are still at work. */
export async function answerLater(built: Built, ctx: Context, rest: Promise<void>, isHead: boolean): Promise<Response> {
  try {
    await rest;
  } catch (error) {
    fail(ctx, error);
  }
  return answer(built, ctx, isHead);
}

async function answerWithTasks(built: Built, ctx: Context, isHead: boolean): Promise<Response> {
  await writePage(ctx);
  const tasks = tasksOf(ctx);
  try {
    await runBefore(tasks);
  } catch (error) {
    fail(ctx, error);
    await writePage(ctx);
  }
  const body = heldBody(ctx);
  // First in the list is last to run: other tasks may still want to read from it.
  if (body !== undefined) tasks.after.unshift(() => body.close());
  return scheduleAfter(built, ctx, tasks, seal(ctx, isHead));
}

function needsPage(ctx: Context): boolean {
  const draft = draftOf(ctx);
  return draft.status >= 400 && !isWritten(draft);
}

/** Lets the error handlers of the nearest party write the body, once: one that fails itself gets the bare status. */
async function writePage(ctx: Context): Promise<void> {
  if (!needsPage(ctx)) return;
  const handlers = routeOf(ctx).scope.errorChain(draftOf(ctx).status);
  if (handlers !== undefined) {
    try {
      await start(ctx, rerun(ctx, new Chain(handlers)), draftOf(ctx));
    } catch (error) {
      fail(ctx, error);
    }
  }
  if (needsPage(ctx)) writeDefault(ctx);
}

/** The body where nobody wrote one: the message of an error that is for the client's eyes, else the status text. */
function writeDefault(ctx: Context): void {
  // The type that a handler had in mind was for a body that never came.
  draftOf(ctx).type = "";
  const error = ctx.GetErr();
  if (error instanceof ValidationError) {
    return writeTyped(draftOf(ctx), toJSON(error.Problem()), "application/problem+json");
  }
  const { status } = draftOf(ctx);
  const message = isErrorPublic(ctx) ? error?.message ?? "" : "";
  const text = message !== "" ? message : STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
  writeTyped(draftOf(ctx), text, siteOf(ctx).textType);
}

function seal(ctx: Context, isHead: boolean): Response {
  const end = isHead ? toHead : toResponse;
  try {
    return end(draftOf(ctx));
  } catch (error) {
    // A Response whose body was read already, say: found out only when a new one is made of it.
    fail(ctx, error);
    writeDefault(ctx);
    return end(draftOf(ctx));
  }
}

/** Runs the tasks for after the answer when it has left; without a connection, when its body was read. */
function scheduleAfter(
  built: Built,
  ctx: Context,
  tasks: Tasks,
  response: Response,
): Response | Promise<Response> {
  if (tasks.after.length === 0) return response;
  function finish(): Promise<void> {
    return runAfter(tasks, (error) => built.site.host.Logger().Error("Cannot end a request:", error));
  }
  const completed = infoOf(ctx)?.completed;
  if (completed !== undefined) {
    const trailing = completed.then(finish, finish).finally(() => built.trailing.delete(trailing));
    built.trailing.add(trailing);
    return response;
  }
  if (!(draftOf(ctx).body instanceof ReadableStream) && draftOf(ctx).response === undefined) {
    return finish().then(() => response);
  }
  return response.body === null ? finish().then(() => response) : whenRead(response, response.body, finish);
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
