/**
 * Turns the return values of controller methods into responses. Each kind of value has a row in a table.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/core/context/context.ts";
import { writeElement } from "../../src/core/context/view.ts";
import { unsendable, writeEncoded, writeJSON } from "../../src/core/serialize/encode.ts";
import { rowOf } from "../../src/core/serialize/platform_object.ts";
import { elements } from "../../src/pages/engine/engine.ts";
import { type Dispatcher, Response as ResponseResult, View } from "./result.ts";
import { failWith, handleResult, type Responding, respondWithError } from "./result_handlers.ts";
import { isTuple, Tuple } from "./tuple.ts";

type Written = Promise<void> | undefined;

/** Writes a value of one kind. The position in the table determines the type. */
type Writer = (ctx: Context, value: never, how: Responding) => Written;

const plainly: Responding = { failed: respondWithError };

/**
 * Responds with the return value of a method.
 *
 * @param ctx The request context.
 * @param value The return value. `undefined` means that the method has written the response through `ctx`.
 * @param how The error handler and the result handlers.
 * @returns A promise only if writing the response is asynchronous.
 */
export function writeReturn(ctx: Context, value: unknown, how: Responding = plainly): Written {
  return writers[typeof value](ctx, value as never, how);
}

const writers: Readonly<Record<PrimitiveShape, Writer>> = {
  undefined: () => undefined,
  string: writeText,
  number: writeStatus,
  boolean: writeFound,
  bigint: writeJSON,
  object: writeObject,
  function: refuse,
  symbol: refuse,
};

type PrimitiveShape = "undefined" | "string" | "number" | "boolean" | "bigint" | "object" | "function" | "symbol";

/** The objects with a special meaning. The first matching row applies, and all other objects are bodies. */
const objects: readonly { readonly fits: (value: object) => boolean; readonly write: Writer }[] = [
  { fits: (value) => has(value, "Dispatch"), write: writeResult },
  { fits: (value) => value instanceof Error, write: writeError },
  { fits: isElement, write: writePage },
];

function writeObject(ctx: Context, value: object | null, how: Responding): Written {
  if (value === null) return writeBody(ctx, value, how);
  if (how.results === undefined && how.type === undefined && isRecord(value)) return writeJSON(ctx, value);
  if (isTuple(value)) return writeTuple(ctx, value as Tuple<never, never>, how);
  if (how.results !== undefined && isHandled(value)) return handleResult(ctx, value, how, how.results);
  return has(value, "Preflight") ? writeAfterPreflight(ctx, value, how) : writeChecked(ctx, value, how);
}

/** Reports whether result handlers receive an object. Errors have their own handlers, and bodies are sent unchanged. */
export function isHandled(value: object): boolean {
  return !(value instanceof Error) && !rowOf(value).isRaw;
}

async function writeAfterPreflight(
  ctx: Context,
  value: Record<"Preflight", (ctx: Context) => unknown>,
  how: Responding,
): Promise<void> {
  const error = await value.Preflight(ctx);
  if (error instanceof Error) await failWith(ctx, error, how.failed);
  // The object may have responded.
  else if (!ctx.IsStopped()) await writeChecked(ctx, value, how);
}

function writeChecked(ctx: Context, value: object, how: Responding): Written {
  if (isRecord(value)) return writeBody(ctx, value, how);
  for (const row of objects) {
    if (row.fits(value)) return row.write(ctx, value as never, how);
  }
  return writeBody(ctx, value, how);
}

function writeBody(ctx: Context, value: object | null, { type }: Responding): Written {
  if (type !== undefined) return writeEncoded(ctx, value, type);
  if (value === null || isRecord(value)) return writeJSON(ctx, value);
  return rowOf(value).write(ctx, value as never) ?? undefined;
}

/**
 * Reports whether a value is a plain object without special methods. Most values are, and they do not need the table.
 */
// The prototype is read last, when V8 knows the shape of the object. Otherwise, it would call the runtime for 40 ns.
function isRecord(value: object): boolean {
  return !("Dispatch" in value) && !("Preflight" in value) && !(Symbol.asyncIterator in value) && !isElement(value) &&
    Object.getPrototypeOf(value) === Object.prototype;
}

/** The writers for tuples. The second value of a tuple determines the meaning of the first. */
const tuples: Readonly<Record<string, (ctx: Context, tuple: Tuple<never, never>, how: Responding) => Written>> = {
  boolean: writeIfFound,
  number: writeWithStatus,
  string: writeWithType,
  object: writeUnlessError,
};

function writeTuple(ctx: Context, tuple: Tuple<never, never>, how: Responding): Written {
  const write = tuples[typeof tuple[1]];
  if (write === undefined) {
    throw unsendable(ctx, `a tuple of "${typeof tuple[0]}" and "${typeof tuple[1]}" is not supported`);
  }
  return write(ctx, tuple, how);
}

function writeIfFound(ctx: Context, [value, found]: Tuple<unknown, boolean>, how: Responding): Written {
  return found ? writeReturn(ctx, value, how) : writeFound(ctx, false);
}

function writeWithStatus(ctx: Context, [value, status]: Tuple<unknown, number>, how: Responding): Written {
  if (value instanceof Error) return failWith(ctx, value, how.failed, status);
  writeStatus(ctx, status);
  // An empty string is not a body for an error, so the error handler writes the body.
  return value === "" && status >= 400 ? undefined : writeReturn(ctx, value, how);
}

function writeWithType(ctx: Context, [value, type]: Tuple<unknown, string>, how: Responding): Written {
  if (typeof value === "number") return writeWithStatus(ctx, Tuple(type, value), how);
  if (!/^[^/\s]+\/[^/\s]+/.test(type)) throw unsendable(ctx, `"${type}" is not a content type`);
  if (typeof value === "object" && (value === null || !rowOf(value).isRaw)) {
    return writeObject(ctx, value, { ...how, type });
  }
  const written = writeReturn(ctx, value, how);
  // This is set last, because a Blob or a form has its own content type.
  ctx.ContentType(type);
  return written;
}

/**
 * Responds with a value unless there is an error. Only an instance of `Error` is treated as an error, because other
 * objects may also have a `name` and a `message`.
 */
function writeUnlessError(ctx: Context, [value, second]: Tuple<unknown, object | null>, how: Responding): Written {
  if (second === null) return writeReturn(ctx, value, how);
  if (second instanceof Error) return failWith(ctx, second, how.failed, typeof value === "number" ? value : undefined);
  if (typeof value === "number") return writeWithStatus(ctx, Tuple(second, value), how);
  throw unsendable(ctx, `a tuple of "${typeof value}" and "object" is not supported`);
}

function writeText(ctx: Context, text: string): undefined {
  ctx.WriteString(text);
}

function writeStatus(ctx: Context, status: number): undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw unsendable(ctx, `"${String(status)}" is not a status code between 200 and 599`);
  }
  ctx.StatusCode(status);
}

function writeFound(ctx: Context, found: boolean): undefined {
  if (!found) ctx.NotFound();
}

function writeError(ctx: Context, error: Error, how: Responding): Written {
  return failWith(ctx, error, how.failed);
}

function writeResult(ctx: Context, result: Dispatcher, how: Responding): Written {
  // These results can contain errors, so that the controller's own error handler can handle them.
  if ((result instanceof ResponseResult || result instanceof View) && result.Err !== null) {
    return failWith(ctx, result.Err, how.failed, result.Code);
  }
  return result.Dispatch(ctx) ?? undefined;
}

function writePage(ctx: Context, element: object): Written {
  return writeElement(exchangeOf(ctx), element);
}

function isElement(value: object): boolean {
  return elements !== undefined && elements.isElement(value);
}

function refuse(ctx: Context, value: unknown): never {
  throw unsendable(ctx, `a ${typeof value} cannot be sent as a body`);
}

/** Reports whether an object has a method that takes the context. */
function has<N extends string>(value: object, name: N): value is Record<N, (ctx: Context) => unknown> {
  return name in value && typeof (value as Record<N, unknown>)[name] === "function";
}
