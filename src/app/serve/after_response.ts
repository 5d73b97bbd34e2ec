/**
 * Runs the tasks that are scheduled for after the response.
 *
 * @module
 */

import { type EndTasks, runAfter, runLast } from "../../exchange/ending/end_tasks.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Built } from "../build/build.ts";
import { isStream } from "../../response/platform_response.ts";

/**
 * Schedules the tasks to run when the response has been sent. Without a connection, they run when the body has been
 * read. Values are disposed of when nothing uses them anymore.
 */
export function scheduleAfter<C>(
  built: Built,
  exchange: Exchange<C>,
  response: Response,
): Response | Promise<Response> {
  const { connection, draft, tasks } = exchange;
  if (tasks === undefined) return response;
  if (tasks.after.length === 0 && tasks.last.length === 0 && !exchange.isLate) {
    tasks.isOver = true;
    return response;
  }
  const completed = connection?.completed;
  if (completed !== undefined) {
    const finish = () => runAll(exchange, tasks);
    trail(built, completed.then(finish, finish));
    return response;
  }
  const isStreamed = isStream(draft.body) || draft.response !== undefined;
  if (isStreamed && response.body !== null) {
    return whenRead(response, response.body, () => runAll(exchange, tasks));
  }
  // A handler that was abandoned by a timeout must not delay the response.
  if (!exchange.isLate) return runAll(exchange, tasks).then(() => response);
  return runAfter(tasks, (error) => exchange.reportEndFailure(error)).then(() => {
    trail(built, runAll(exchange, tasks));
    return response;
  });
}

async function runAll<C>(exchange: Exchange<C>, tasks: EndTasks): Promise<void> {
  const report = (error: unknown) => exchange.reportEndFailure(error);
  await runAfter(tasks, report);
  await runLast(tasks, exchange.draft, report);
}

/** Lets a shutdown wait for tasks. */
function trail(built: Built, tasks: Promise<void>): void {
  const trailing = tasks.finally(() => built.trailing.delete(trailing));
  built.trailing.add(trailing);
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
