/**
 * Ending a chain with an answer.
 *
 * @module
 */

import type { Context } from "./context.ts";

/**
 * Stops the chain and sets the status.
 *
 * @returns The context, to write the answer with.
 */
export function stopWith(ctx: Context, status: number): Context {
  ctx.StopExecution();
  ctx.StatusCode(status);
  return ctx;
}
