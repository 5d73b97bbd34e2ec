/**
 * From what a controller method returns to the response, one row for each shape.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { named, toPlain, unsendable, writeEncoded, writeJSON } from "./encode.ts";
import { type Dispatcher, Response as ResponseResult, View } from "./result.ts";
import { type ErrorHandler, failWith, respondWithError } from "./returned_error.ts";
import { rowOf } from "./returned_object.ts";
import { isTuple, Tuple } from "./tuple.ts";

type Written = Promise<void> | undefined;

/** Writes a value of one shape; rows know by their place in the table what they get. */
type Writer = (ctx: Context, value: never, failed: ErrorHandler) => Written;

/**
 * Responds with what a method returned.
 *
 * @param ctx The request.
 * @param value What was returned; `undefined` means that the method wrote through `ctx`.
 * @param failed What responds to a returned error.
 * @returns A promise only if the response takes time.
 */
export function writeReturn(ctx: Context, value: unknown, failed: ErrorHandler = respondWithError): Written {
  return writers[typeof value](ctx, value as never, failed);
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

/** Objects that say what the response is: the first row that fits counts, and what is left is a body. */
const objects: readonly { readonly fits: (value: object) => boolean; readonly write: Writer }[] = [
  { fits: isTuple, write: writeTuple },
  { fits: isResult, write: writeResult },
  { fits: (value) => value instanceof Error, write: writeError },
];

function writeObject(ctx: Context, value: object | null, failed: ErrorHandler): Written {
  if (value === null || isRecord(value)) return writeJSON(ctx, value);
  for (const row of objects) {
    if (row.fits(value)) return row.write(ctx, value as never, failed);
  }
  return rowOf(value).write(ctx, value as never) ?? undefined;
}

/** Most of what is returned: a plain object without methods of ours needs to pass no row of the table. */
function isRecord(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !("Dispatch" in value) &&
    !(Symbol.asyncIterator in value);
}

/** The second value of a tuple says what the first one means. */
const tuples: Readonly<Record<string, (ctx: Context, tuple: Tuple<never, never>, failed: ErrorHandler) => Written>> = {
  boolean: writeIfFound,
  number: writeWithStatus,
  string: writeWithType,
  object: writeUnlessError,
};

function writeTuple(ctx: Context, tuple: Tuple<never, never>, failed: ErrorHandler): Written {
  const write = tuples[typeof tuple[1]];
  if (write === undefined) {
    throw unsendable(ctx, `a tuple of "${typeof tuple[0]}" and "${typeof tuple[1]}" has no meaning`);
  }
  return write(ctx, tuple, failed);
}

function writeIfFound(ctx: Context, [value, found]: Tuple<unknown, boolean>, failed: ErrorHandler): Written {
  return found ? writeReturn(ctx, value, failed) : writeFound(ctx, false);
}

function writeWithStatus(ctx: Context, [value, status]: Tuple<unknown, number>, failed: ErrorHandler): Written {
  if (value instanceof Error) return failWith(ctx, value, failed, status);
  writeStatus(ctx, status);
  // An empty text does not count as the body of an error: the error handler writes one.
  return value === "" && status >= 400 ? undefined : writeReturn(ctx, value, failed);
}

function writeWithType(ctx: Context, [value, type]: Tuple<unknown, string>, failed: ErrorHandler): Written {
  if (typeof value === "number") return writeWithStatus(ctx, Tuple(type, value), failed);
  if (!/^[^/\s]+\/[^/\s]+/.test(type)) throw unsendable(ctx, `"${type}" is not a content type`);
  if (typeof value === "object" && (value === null || !rowOf(value).isRaw)) return writeAs(ctx, value, type);
  const written = writeReturn(ctx, value, failed);
  // Last, because a Blob or a form brings a type of its own.
  ctx.ContentType(type);
  return written;
}

function writeAs(ctx: Context, value: unknown, type: string): undefined {
  try {
    writeEncoded(ctx, toPlain(value), type);
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Only what the platform calls an error is one: an object with a `name` and a `message` may be a person and a letter.
 */
function writeUnlessError(ctx: Context, [value, second]: Tuple<unknown, object | null>, failed: ErrorHandler): Written {
  if (second === null) return writeReturn(ctx, value, failed);
  if (second instanceof Error) return failWith(ctx, second, failed, typeof value === "number" ? value : undefined);
  if (typeof value === "number") return writeWithStatus(ctx, Tuple(second, value), failed);
  throw unsendable(ctx, `a tuple of "${typeof value}" and "object" has no meaning`);
}

function writeText(ctx: Context, text: string): undefined {
  ctx.Text(text);
}

function writeStatus(ctx: Context, status: number): undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw unsendable(ctx, `the number "${status}" is not a status from 200 to 599`);
  }
  ctx.StatusCode(status);
}

function writeFound(ctx: Context, found: boolean): undefined {
  if (!found) ctx.NotFound();
}

function writeError(ctx: Context, error: Error, failed: ErrorHandler): Written {
  return failWith(ctx, error, failed);
}

function writeResult(ctx: Context, result: Dispatcher, failed: ErrorHandler): Written {
  // Results of ours carry an error for the controller's own error handler to see.
  if ((result instanceof ResponseResult || result instanceof View) && result.Err !== null) {
    return failWith(ctx, result.Err, failed, result.Code);
  }
  return result.Dispatch(ctx) ?? undefined;
}

function refuse(ctx: Context, value: unknown): never {
  throw unsendable(ctx, `a ${typeof value} has no body`);
}

function isResult(value: object): boolean {
  return "Dispatch" in value && typeof value.Dispatch === "function";
}
