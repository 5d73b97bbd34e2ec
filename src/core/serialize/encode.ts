/**
 * Serializes values as JSON or in another content type. Errors contain the name of the handler.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { isCollection, plainCollection } from "../../base/text/json.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { writeAs } from "../context/format/write_format.ts";

/**
 * Responds with an object in a content type.
 *
 * @returns A promise only if the encoder has to be loaded first.
 */
export function writeEncoded(ctx: Context, value: unknown, contentType: string): Promise<void> | undefined {
  try {
    const loading = writeAs(exchangeOf(ctx), toPlain(value), contentType);
    if (loading === undefined) return void ctx.ContentType(contentType);
    return loading.then(() => ctx.ContentType(contentType), (thrown) => {
      throw named(ctx, thrown);
    });
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/** Reports whether a value is not a map, set or iterator, which must be converted before it is serialized. */
export function isPlainValue(value: unknown): boolean {
  return !isCollection(value) || ("toJSON" in value && typeof value.toJSON === "function");
}

/**
 * Converts a map to an object, and a set or an iterator to an array. Their members are not converted.
 *
 * @param value The value.
 * @returns The converted value, or the value itself if it is none of these.
 */
export function toPlain(value: unknown): unknown {
  return isPlainValue(value) ? value : plainCollection(value);
}

/**
 * Responds with JSON. If the value cannot be serialized, for example because it is circular, throws an error that names
 * the method.
 */
export function writeJSON(ctx: Context, value: unknown): undefined {
  try {
    ctx.JSON(value);
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Adds the name of the method to errors that the platform throws for values that cannot be serialized, such as circular
 * objects. The program's own errors, from a `toJSON` method or an iterator, are not changed.
 */
export function named(ctx: Context, thrown: unknown): unknown {
  const isOfPlatform = thrown instanceof TypeError || thrown instanceof RangeError;
  return isOfPlatform
    ? unsendable(ctx, `it cannot be serialized: ${thrown.message.split("\n", 1)[0]}`, thrown)
    : thrown;
}

/**
 * Creates the error for a value that cannot be sent.
 *
 * @param ctx The request context, whose route names the method.
 * @param reason The reason.
 * @param cause The error that was thrown, if there was one.
 */
export function unsendable(ctx: Context, reason: string, cause?: unknown): FrameworkError {
  const route = ctx.GetCurrentRoute();
  const owner = route?.Action === undefined ? `${ctx.Method()} ${ctx.Path()}` : `${route.Controller}.${route.Action}`;
  return new FrameworkError("FW_RETURN", `Cannot respond with the return value of "${owner}": ${reason}`, { cause });
}
