/**
 * Converts the return value of a WebSocket controller's method to the reply.
 *
 * @module
 */

import { HTTPError, returnedError } from "../../src/base/errors/errors.ts";
import type { ResultHandler, ResultMiddleware } from "../../src/core/app/api_container.ts";
import type { Context } from "../../src/core/context/context.ts";
import { composeResults } from "../result/result_handlers.ts";
import { isHandled } from "../result/returns.ts";
import { isTuple } from "../result/tuple.ts";

/** The value that the innermost handler has received for the current event of a connection. */
const passed = new WeakMap<Context, unknown>();

/**
 * Composes the result handlers of a controller. The innermost one passes on the reply instead of writing a response.
 *
 * @param list The handlers, with the outermost one first.
 * @returns The handler, or `undefined` if there is none.
 */
export function replyHandler(list: readonly ResultMiddleware[]): ResultHandler | undefined {
  return composeResults(list, (ctx, value) => void passed.set(ctx, value));
}

/**
 * Passes a reply through the result handlers, like the body of a response. A connection runs one event at a time.
 *
 * @param ctx The context of the handshake. Its response has been sent, so only the value that a handler passes on
 * counts.
 * @param value The reply.
 * @param results The handlers.
 * @returns The reply, or a promise for it. It is `undefined` if a handler has passed on nothing.
 * @throws {HTTPError} If a handler has returned an error.
 */
export function handleReply(ctx: () => Context, value: unknown, results: ResultHandler | undefined): unknown {
  const isPlain = results === undefined || typeof value !== "object" || value === null || !isHandled(value);
  return isPlain ? value : handled(ctx(), value, results);
}

async function handled(ctx: Context, value: object, results: ResultHandler): Promise<unknown> {
  passed.delete(ctx);
  const error: unknown = await results(ctx, value);
  if (error instanceof Error) throw returnedError(error);
  const reply = replyOf(passed.get(ctx));
  passed.delete(ctx);
  return reply;
}

/**
 * Returns the reply to an event. The members of a tuple have the same meaning as in a response.
 *
 * @param value The return value.
 * @returns The reply.
 * @throws {HTTPError} If the method has returned an error, or a status code of an error.
 */
export function replyOf(value: unknown): unknown {
  if (value instanceof Error) throw returnedError(value);
  if (!isTuple(value)) return value;
  const [first, second] = value;
  if (second === false) throw new HTTPError(404);
  const isStatusFirst = typeof first === "number" && second !== null && ["string", "object"].includes(typeof second);
  const [body, status] = isStatusFirst ? [second, first] : [first, second];
  if (typeof status === "number" && status >= 400) {
    // An error with the same status may have problem details.
    const isSame = body instanceof HTTPError && body.Status === status;
    throw isSame ? body : new HTTPError(status, messageOf(body), { cause: body });
  }
  const error = [body, second].find((part) => part instanceof Error);
  if (error !== undefined) throw returnedError(error);
  return body;
}

function messageOf(body: unknown): string {
  return typeof body === "string" ? body : body instanceof Error ? body.message : "";
}
