/**
 * Refuses requests with a handler that the application provides.
 *
 * @module
 */

import type { Context } from "./context.ts";
import type { Handler } from "./handler.ts";

/**
 * Stops the chain with a status code and calls a handler to write the body. The status is kept unless the handler sets
 * another one, so that a handler that only writes a body does not turn the refusal into a success.
 *
 * @param ctx The request context.
 * @param status The status code of the refusal.
 * @param respond Calls the handler.
 * @returns The result of the handler. A returned response with status 200 gets the status of the refusal.
 */
export async function refuseWith(
  ctx: Context,
  status: number,
  respond: () => ReturnType<Handler>,
): Promise<void | Response> {
  ctx.StopWithStatus(status);
  const result = await respond();
  // A response that was created without a status has status 200.
  if (!(result instanceof Response) || result.status !== 200) return result;
  return new Response(result.body, { status, headers: result.headers });
}
