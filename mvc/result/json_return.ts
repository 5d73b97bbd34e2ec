/**
 * JSON from what a controller method returns, and the error about what cannot be sent.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Context } from "../../src/context/context.ts";

/** Responds with a value as JSON; one that JSON cannot hold, such as a circle, is an error that names the method. */
export function writeJSON(ctx: Context, value: unknown): undefined {
  try {
    ctx.JSON(value);
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Names the method in what the platform throws on a value that has no text, such as a circle. Errors of the program's
 * own, from a `toJSON` or an iterator, stay as they are.
 */
export function named(ctx: Context, thrown: unknown): unknown {
  const isOfPlatform = thrown instanceof TypeError || thrown instanceof RangeError;
  return isOfPlatform ? unsendable(ctx, `it cannot be written: ${thrown.message.split("\n", 1)[0]}`, thrown) : thrown;
}

/**
 * The error about a value that cannot be sent.
 *
 * @param ctx The request, whose route names the method.
 * @param reason Why not.
 * @param cause What was thrown, if anything was.
 */
export function unsendable(ctx: Context, reason: string, cause?: unknown): FrameworkError {
  const route = ctx.GetCurrentRoute();
  const owner = route?.Action === undefined ? `${ctx.Method()} ${ctx.Path()}` : `${route.Controller}.${route.Action}`;
  return new FrameworkError("FW_RETURN", `Cannot respond with what "${owner}" returned: ${reason}`, { cause });
}
