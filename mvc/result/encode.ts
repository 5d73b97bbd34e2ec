/**
 * Objects as texts: in the content type that a controller method asks for, as JSON else.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { isCollection, plainCollection } from "../../src/base/json.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { writeAs } from "../../src/context/write_format.ts";

/**
 * Responds with an object in a content type; 406 if nothing can write it so.
 *
 * @returns A promise only if what writes the type has to be loaded.
 */
export function writeEncoded(ctx: Context, value: unknown, contentType: string): Promise<void> | undefined {
  try {
    const loading = writeAs(exchangeOf(ctx).draft, toPlain(value), contentType);
    if (loading === undefined) return void ctx.ContentType(contentType);
    return loading.then(() => ctx.ContentType(contentType), (thrown) => {
      throw named(ctx, thrown);
    });
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/** Reports whether a value is not a map, set or iterator that has to be changed to be written. */
export function isPlainValue(value: unknown): boolean {
  return !isCollection(value) || ("toJSON" in value && typeof value.toJSON === "function");
}

/**
 * Turns a map into an object and a set or an iterator into an array; their members stay as they are.
 *
 * @param value Any value.
 * @returns The value itself if it is none of these.
 */
export function toPlain(value: unknown): unknown {
  return isPlainValue(value) ? value : plainCollection(value);
}

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
