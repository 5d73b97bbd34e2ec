/**
 * What is done when an answer has left.
 *
 * @module
 */

import { type Context, draftOf, infoOf } from "../context/context.ts";
import { runAfter, type Tasks } from "../context/tasks.ts";
import type { Built } from "./build.ts";

/** Runs the tasks for after the answer when it has left; without a connection, when its body was read. */
export function scheduleAfter(
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
