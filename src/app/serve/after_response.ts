/**
 * Runs the tasks that are scheduled for after the response.
 *
 * @module
 */

import { runAfter } from "../../exchange/ending/end_tasks.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { isStreamed } from "../../response/draft.ts";
import type { Built } from "../build/build.ts";

/**
 * Schedules the tasks to run when the response has been sent. Without a connection, they run when the body has been
 * read.
 */
export function scheduleAfter<C>(
  built: Built,
  exchange: Exchange<C>,
  response: Response,
): Response | Promise<Response> {
  const { connection, draft, tasks } = exchange;
  if (tasks === undefined || tasks.after.length === 0) return response;
  function finish(): Promise<void> {
    return tasks === undefined ? Promise.resolve() : runAfter(tasks, (error) => exchange.reportEndFailure(error));
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
