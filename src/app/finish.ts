/**
 * The end of a request: the error page if it needs one, last tasks, and the answer.
 *
 * @module
 */

import { type Context, draftOf, heldBody, knownTasks, routeOf, tasksOf } from "../context/context.ts";
import { setHeader } from "../response/draft.ts";
import { fail } from "../context/failure.ts";
import { toHead, toResponse } from "../response/to_response.ts";
import { runBefore } from "../context/tasks.ts";
import { scheduleAfter } from "./after_response.ts";
import type { Built } from "./build.ts";
import { needsPage, writeDefault, writePage } from "./error_page.ts";

/** Answers a request whose handlers are through. */
export function answer(built: Built, ctx: Context, isHead: boolean): Response | Promise<Response> {
  if (needsPage(ctx)) {
    const { scope } = routeOf(ctx);
    if (scope.errorChain(draftOf(ctx).status) !== undefined) return answerWithPage(built, ctx, isHead);
    writeDefault(ctx);
  }
  if (knownTasks(ctx) === undefined && heldBody(ctx) === undefined) return seal(ctx, isHead);
  return answerWithTasks(built, ctx, isHead);
}

/** Answers a request whose handlers are still at work. */
export async function answerLater(built: Built, ctx: Context, rest: Promise<void>, isHead: boolean): Promise<Response> {
  try {
    await rest;
  } catch (error) {
    fail(ctx, error);
  }
  // The server marks the answers that begin during a stop; this one began before it and would keep its connection, on
  // which the client might lose its next request.
  if (built.isLeaving) setHeader(draftOf(ctx), "connection", "close");
  return answer(built, ctx, isHead);
}

async function answerWithPage(built: Built, ctx: Context, isHead: boolean): Promise<Response> {
  await writePage(ctx);
  return answerWithTasks(built, ctx, isHead);
}

/** Runs the last tasks, without a promise where they need none: a session in memory does not. */
function answerWithTasks(built: Built, ctx: Context, isHead: boolean): Response | Promise<Response> {
  try {
    const waiting = runBefore(tasksOf(ctx));
    return waiting === undefined ? leave(built, ctx, isHead) : leaveLater(built, ctx, isHead, waiting);
  } catch (error) {
    fail(ctx, error);
    return leaveLater(built, ctx, isHead, writePage(ctx));
  }
}

async function leaveLater(
  built: Built,
  ctx: Context,
  isHead: boolean,
  waiting: Promise<void>,
): Promise<Response> {
  try {
    await waiting;
  } catch (error) {
    fail(ctx, error);
    await writePage(ctx);
  }
  return leave(built, ctx, isHead);
}

function leave(built: Built, ctx: Context, isHead: boolean): Response | Promise<Response> {
  const tasks = tasksOf(ctx);
  const body = heldBody(ctx);
  // First in the list is last to run: other tasks may still want to read from it.
  if (body !== undefined) tasks.after.unshift(() => body.close());
  return scheduleAfter(built, ctx, tasks, seal(ctx, isHead));
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
