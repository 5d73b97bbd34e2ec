/**
 * From what a controller method returns to the response, one row for each shape and for each class of the platform.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import {
  type ErrorHandler,
  failWith,
  isPlainValue,
  isTuple,
  named,
  respondWithError,
  Response as ResponseResult,
  type Result,
  toPlain,
  Tuple,
  unsendable,
  View,
  writeEncoded,
  writeJSON,
} from "./result.ts";
import { adopt } from "../../src/response/draft.ts";
import type { StreamSource } from "../../src/response/stream.ts";

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
  return void rowOf(value).write(ctx, value as never);
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

/** Only what the platform calls an error is one: an object with a `name` and a `message` may be a person and a letter. */
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

function writeResult(ctx: Context, result: Result, failed: ErrorHandler): Written {
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

/** Writes an object of one class; rows know by their place in the table what they get. */
type ObjectWriter = (ctx: Context, value: never) => void;

/** What is done with the objects of a class. */
interface ObjectRow {
  readonly write: ObjectWriter;
  /** True where the object is a body already, and not something to be written as JSON or XML. */
  readonly isRaw: boolean;
}

const generator: object = Object.getPrototypeOf(function* (): Generator<never> {}).prototype;

const raw: readonly [prototype: object, write: ObjectWriter][] = [
  [Response.prototype, writeResponse],
  [Object.getPrototypeOf(Uint8Array.prototype), writeView],
  [DataView.prototype, writeView],
  [ArrayBuffer.prototype, writeBuffer],
  [Blob.prototype, writeBlob],
  [FormData.prototype, writeForm],
  [URLSearchParams.prototype, writeForm],
  [generator, writeChunks],
];

/** These hold nothing that a body could carry: as JSON they would all be `{}`. */
const bodiless: readonly object[] = [Headers, Request, Promise, RegExp, WeakMap, WeakSet].map((type) => type.prototype);

/** The first row whose prototype an object inherits from counts. */
const rows: readonly (readonly [prototype: object, row: ObjectRow])[] = [
  ...raw.map(([prototype, write]) => [prototype, { write, isRaw: true }] as const),
  ...bodiless.map((prototype) => [prototype, { write: refuseObject, isRaw: true }] as const),
  [Array.prototype, { write: writeList, isRaw: false }],
];

const json: ObjectRow = { write: writeJSON, isRaw: false };
const collection: ObjectRow = { write: writeCollection, isRaw: false };
const chunks: ObjectRow = { write: writeChunks, isRaw: true };
const stream: ObjectRow = { write: writeStream, isRaw: true };

/** Rows by prototype: passing the whole table for every instance would cost more than writing a short one. */
const known = new WeakMap<object, ObjectRow>();

/**
 * Finds what is done with an object.
 *
 * @param value The object.
 */
function rowOf(value: object): ObjectRow {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (Symbol.asyncIterator in value) return value instanceof ReadableStream ? stream : chunks;
  if (prototype === null || prototype === Object.prototype) return json;
  const before = known.get(prototype);
  if (before !== undefined) return before;
  const found = rows.find(([of]) => of === prototype || Object.prototype.isPrototypeOf.call(of, prototype))?.[1];
  const row = found ?? (isPlainValue(value) ? json : collection);
  known.set(prototype, row);
  return row;
}

function writeResponse(ctx: Context, response: Response): void {
  adopt(exchangeOf(ctx).draft, response);
}

function writeView(ctx: Context, view: ArrayBufferView): void {
  ctx.Write(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}

function writeBuffer(ctx: Context, buffer: ArrayBuffer): void {
  ctx.Write(new Uint8Array(buffer));
}

function writeBlob(ctx: Context, blob: Blob): void {
  const type = blob.type === "" ? "application/octet-stream" : blob.type;
  writeBody(ctx, new Response(blob, { headers: { "content-type": type, "content-length": String(blob.size) } }));
}

function writeForm(ctx: Context, form: FormData | URLSearchParams): void {
  writeBody(ctx, new Response(form));
}

/** The platform knows best how to send it; a status that was chosen before stays. */
function writeBody(ctx: Context, response: Response): void {
  const status = ctx.GetStatusCode();
  writeResponse(ctx, response);
  ctx.StatusCode(status);
}

function writeStream(ctx: Context, source: StreamSource): void {
  ctx.Stream(source);
}

function writeChunks(ctx: Context, source: Iterable<unknown> | AsyncIterable<unknown>): void {
  ctx.Stream(checked(ctx, source));
}

/** The stream's end cannot tell which method yielded what it cannot send. */
async function* checked(
  ctx: Context,
  source: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<string | Uint8Array<ArrayBuffer>> {
  for await (const chunk of source) {
    if (typeof chunk !== "string" && !isBytes(chunk)) {
      throw unsendable(ctx, `what is yielded must be a text or a Uint8Array, not "${typeof chunk}"`);
    }
    yield chunk;
  }
}

function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array;
}

function writeCollection(ctx: Context, value: object): void {
  try {
    ctx.JSON(toPlain(value));
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/** Lists are of one kind mostly, so the first item tells; asking each would add 40 % to writing twenty short objects. */
function writeList(ctx: Context, list: readonly unknown[]): void {
  const first = list[0];
  if (typeof first === "object" && first !== null && rowOf(first).isRaw) {
    throw unsendable(ctx, `a list with a "${first.constructor.name}" in it is not JSON`);
  }
  writeJSON(ctx, list);
}

function refuseObject(ctx: Context, value: object): never {
  throw unsendable(ctx, `a "${value.constructor.name}" has no body`);
}
