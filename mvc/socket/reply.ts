/**
 * Converts the return value of a WebSocket controller's method to the reply.
 *
 * @module
 */

import { HTTPError } from "../../src/errors/errors.ts";
import { isTuple } from "../result/tuple.ts";

/**
 * Returns the reply to an event. The members of a tuple have the same meaning as in a response.
 *
 * @param value The return value.
 * @returns The reply.
 * @throws The returned error, or an `HTTPError` if the returned status code is that of an error.
 */
export function replyOf(value: unknown): unknown {
  if (value instanceof Error) throw value;
  if (!isTuple(value)) return value;
  const [first, second] = value;
  if (second === false) throw new HTTPError(404);
  const isStatusFirst = typeof first === "number" && second !== null && ["string", "object"].includes(typeof second);
  const [body, status] = isStatusFirst ? [second, first] : [first, second];
  if (typeof status === "number" && status >= 400) throw new HTTPError(status, messageOf(body), { cause: body });
  if (second instanceof Error) throw second;
  return body;
}

function messageOf(body: unknown): string {
  return typeof body === "string" ? body : body instanceof Error ? body.message : "";
}
