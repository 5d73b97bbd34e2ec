/**
 * Responds with an object of any class. The platform's own classes are listed in a table.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { adopt } from "../../http/response/draft.ts";
import type { StreamSource } from "../../http/response/stream.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { isPlainValue, named, toPlain, unsendable, writeJSON } from "./encode.ts";

/** Writes an object of one class. The position in the table determines the type. */
type ObjectWriter = (ctx: Context, value: never) => void | Promise<void>;

/** A table row: how to respond with the objects of a class. */
interface ObjectRow {
  readonly write: ObjectWriter;
  /** Whether the object is already a body, rather than a value to serialize as JSON or XML. */
  readonly isRaw: boolean;
}

const chunkWriter = new LazyModule(() => import("./chunks.ts"));

const generator: object = Object.getPrototypeOf(function* (): Generator<never> {}).prototype;

/** A row of the table, for the objects of one class. */
type PrototypeRow = readonly [prototype: object, row: ObjectRow];

let rows: readonly PrototypeRow[] | undefined = undefined;

/**
 * Returns the table. The first row whose prototype is in the object's prototype chain applies. It is created on first
 * use, because Deno loads the code of the platform's classes when they are first mentioned.
 */
function tableRows(): readonly PrototypeRow[] {
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
  // The classes whose objects have no content for a body. As JSON, they would all be `{}`.
  const bodiless = [Headers, Request, Promise, RegExp, WeakMap, WeakSet];
  return [
    ...raw.map(([prototype, write]) => [prototype, { write, isRaw: true }] as const),
    ...bodiless.map(({ prototype }) => [prototype, { write: refuseObject, isRaw: true }] as const),
    [Array.prototype, { write: writeList, isRaw: false }],
  ];
}

const json: ObjectRow = { write: writeJSON, isRaw: false };
const collection: ObjectRow = { write: writeCollection, isRaw: false };
const chunks: ObjectRow = { write: writeChunks, isRaw: true };
const stream: ObjectRow = { write: writeStream, isRaw: true };

/** The rows by prototype. Searching the table for every instance would cost more than writing a short one. */
const known = new WeakMap<object, ObjectRow>();

/**
 * Finds the row for an object.
 *
 * @param value The object.
 */
export function rowOf(value: object): ObjectRow {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (Symbol.asyncIterator in value) return value instanceof ReadableStream ? stream : chunks;
  if (prototype === null || prototype === Object.prototype) return json;
  const before = known.get(prototype);
  if (before !== undefined) return before;
  rows ??= tableRows();
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

/** Writes a body as the platform would send it. A status code set before is kept. */
function writeBody(ctx: Context, response: Response): void {
  const status = ctx.GetStatusCode();
  writeResponse(ctx, response);
  ctx.StatusCode(status);
}

function writeStream(ctx: Context, source: StreamSource): void {
  ctx.Stream(source);
}

async function writeChunks(ctx: Context, source: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  return (await chunkWriter.get()).writeChunks(ctx, source);
}

function writeCollection(ctx: Context, value: object): void {
  try {
    ctx.JSON(toPlain(value));
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Writes an array. Most arrays contain one kind of item, so only the first is checked; checking each would add 40 % to
 * writing twenty short objects.
 */
function writeList(ctx: Context, list: readonly unknown[]): void {
  const first = list[0];
  if (typeof first === "object" && first !== null && rowOf(first).isRaw) {
    throw unsendable(ctx, `an array that contains a "${first.constructor.name}" is not JSON`);
  }
  writeJSON(ctx, list);
}

function refuseObject(ctx: Context, value: object): never {
  throw unsendable(ctx, `a "${value.constructor.name}" cannot be sent as a body`);
}
