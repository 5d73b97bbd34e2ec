/**
 * From what a controller method returns to the response, one row for each shape.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { adopt } from "../../src/response/draft.ts";
import type { StreamSource } from "../../src/response/stream.ts";
import { writeEncoded } from "./encode.ts";
import { type ErrorHandler, failWith, respondWithError } from "./returned_error.ts";
import { Response as ResponseResult, type Result, View } from "./result.ts";
import { isTuple, type Tuple } from "./tuple.ts";

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

/** Objects that are not JSON: the first row that fits counts. */
const objects: readonly { readonly fits: (value: object) => boolean; readonly write: Writer }[] = [
  { fits: isTuple, write: writeTuple },
  { fits: isResult, write: writeResult },
  { fits: (value) => value instanceof Error, write: writeError },
  { fits: (value) => value instanceof Response, write: writeResponse },
  { fits: (value) => value instanceof Uint8Array, write: writeBytes },
  { fits: (value) => Symbol.asyncIterator in value, write: writeStream },
];

function writeObject(ctx: Context, value: object | null, failed: ErrorHandler): Written {
  if (value === null || isRecord(value)) return writeJSON(ctx, value);
  for (const row of objects) {
    if (row.fits(value)) return row.write(ctx, value as never, failed);
  }
  return writeJSON(ctx, value);
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
  if (write === undefined) throw unsendable(`tuple of "${typeof tuple[0]}" and "${typeof tuple[1]}"`);
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
  if (typeof value === "number") {
    writeStatus(ctx, value);
    return type === "" && value >= 400 ? undefined : writeText(ctx, type);
  }
  if (!/^[^/\s]+\/[^/\s]+/.test(type)) throw unsendable(`content type "${type}"`);
  if (typeof value === "object" && !isRaw(value)) return void writeEncoded(ctx, value, type);
  ctx.ContentType(type);
  return writeReturn(ctx, value, failed);
}

function writeUnlessError(ctx: Context, [value, error]: Tuple<unknown, Error | null>, failed: ErrorHandler): Written {
  if (error === null) return writeReturn(ctx, value, failed);
  return failWith(ctx, error, failed, typeof value === "number" ? value : undefined);
}

function writeText(ctx: Context, text: string): undefined {
  ctx.Text(text);
}

function writeJSON(ctx: Context, value: unknown): undefined {
  ctx.JSON(value);
}

function writeStatus(ctx: Context, status: number): undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw unsendable(`number "${status}", since a number is a status from 200 to 599`);
  }
  ctx.StatusCode(status);
}

function writeFound(ctx: Context, found: boolean): undefined {
  if (!found) ctx.NotFound();
}

function writeError(ctx: Context, error: Error, failed: ErrorHandler): Written {
  return failWith(ctx, error, failed);
}

function writeResult(ctx: Context, result: Result, failed: ErrorHandler): Written {
  // Results of ours carry an error for the controller's own error handler to see.
  if ((result instanceof ResponseResult || result instanceof View) && result.Err !== null) {
    return failWith(ctx, result.Err, failed, result.Code);
  }
  return result.Dispatch(ctx) ?? undefined;
}

function writeResponse(ctx: Context, response: Response): undefined {
  adopt(exchangeOf(ctx).draft, response);
}

function writeBytes(ctx: Context, bytes: Uint8Array): undefined {
  ctx.Write(bytes);
}

function writeStream(ctx: Context, stream: StreamSource): undefined {
  ctx.Stream(stream);
}

function refuse(_ctx: Context, value: unknown): never {
  throw unsendable(typeof value);
}

function isResult(value: object): boolean {
  return "Dispatch" in value && typeof value.Dispatch === "function";
}

/** Bytes and streams have their form already. */
function isRaw(value: object | null): boolean {
  return value !== null && (value instanceof Uint8Array || Symbol.asyncIterator in value);
}

function unsendable(what: string): FrameworkError {
  return new FrameworkError("FW_RETURN", `Cannot respond with a returned ${what}`);
}
