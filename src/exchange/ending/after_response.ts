/**
 * Runs the tasks that are scheduled for after the response.
 *
 * @module
 */

import { isStreamed } from "../../response/draft.ts";
import type { Exchange } from "../exchange.ts";
import { runAfter, runAll } from "./end_tasks.ts";
import type { Ending } from "./ending.ts";
import type { Unfinished } from "./in_flight.ts";

/**
 * Schedules the tasks to run when the response has been sent. Without a connection, they run when the body has been
 * read. Values are disposed of when nothing uses them anymore.
 */
export function scheduleAfter<C>(
  app: Unfinished<C>,
  exchange: Exchange<C>,
  ending: Ending,
  response: Response,
): Response | Promise<Response> {
  if (!ending.after?.length && !ending.last?.length && !exchange.isLate) {
    ending.state = "over";
    return response;
  }
  const run = () => runAll(exchange, ending);
  const completed = exchange.connection?.completed;
  if (completed !== undefined) {
    trail(app, completed.then(run, run));
    return response;
  }
  if (isStreamed(exchange.draft) && response.body !== null) return whenRead(response, response.body, run);
  if (!exchange.isLate) return run().then(() => response);
  // A handler that was abandoned by a timeout must not delay the response.
  return runAfter(exchange, ending).then(() => {
    trail(app, run());
    return response;
  });
}

/** Lets a shutdown wait for tasks. */
function trail<C>({ trailing }: Unfinished<C>, tasks: Promise<void>): void {
  const added = tasks.finally(() => trailing.delete(added));
  trailing.add(added);
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
