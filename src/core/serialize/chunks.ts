/**
 * Streams the values that a generator yields. Loaded on first use.
 *
 * @module
 */

import { toJSON } from "../../base/text/json.ts";
import { hold } from "../../http/response/draft.ts";
import { ServerEvent } from "../../http/response/server_event.ts";
import { sendEvents } from "../../http/response/server_events.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { eventsTerms } from "../exchange/stream_terms.ts";
import { named, unsendable } from "./encode.ts";

/**
 * Sends the values that a generator yields. The first value determines the format. Strings and bytes are sent as they
 * are, events are sent as server-sent events, and all other values are sent as JSON Lines. The headers are sent with
 * the first value, so an error page can be sent if the generator fails before that.
 */
export async function writeChunks(ctx: Context, source: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  const values = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  // After a timeout, the generator is still performing its first step.
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(exchangeOf(ctx).draft, promise);
  try {
    const first = await values.next();
    try {
      send(ctx, first, (format) => new Resumed(first, values, format));
    } catch (error) {
      await values.return?.();
      throw error;
    }
  } finally {
    resolve();
  }
}

/** Sends the values in the format that the first one determines. */
function send(ctx: Context, first: IteratorResult<unknown>, rest: (format: Format) => Resumed): void {
  const exchange = exchangeOf(ctx);
  const { draft } = exchange;
  if (first.value instanceof ServerEvent) {
    return sendEvents(draft, rest((value) => value), {}, () => ({ ...eventsTerms(exchange), marksStrings: true }));
  }
  const isText = typeof first.value === "string";
  if (isText || isBytes(first.value) || first.done === true) {
    // Tells the typed client to read the body in chunks.
    ctx.Header("x-content-stream", isText ? "text" : "bytes");
    return ctx.Stream(rest((value) => checked(ctx, value)) as AsyncIterable<string | Uint8Array<ArrayBuffer>>);
  }
  if (draft.type === "") ctx.ContentType("application/jsonl");
  ctx.Stream(rest((value) => jsonLine(ctx, value)) as AsyncIterable<string>);
}

/** Converts a yielded value to what is sent. */
type Format = (value: unknown) => unknown;

/**
 * Iterates over all values, starting with the first one that has already been read. This is not a generator, because a
 * generator that has not been started does not close the iterator inside it.
 */
class Resumed implements AsyncIterableIterator<unknown> {
  readonly #values: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #format: Format;
  #first: IteratorResult<unknown> | undefined;

  constructor(first: IteratorResult<unknown>, values: Iterator<unknown> | AsyncIterator<unknown>, format: Format) {
    this.#first = first;
    this.#values = values;
    this.#format = format;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    const next = this.#first ?? await this.#values.next();
    this.#first = undefined;
    if (next.done === true) return next;
    try {
      return { done: false, value: this.#format(next.value) };
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<unknown>> {
    await this.#values.return?.();
    return { done: true, value: undefined };
  }
}

function jsonLine(ctx: Context, value: unknown): string {
  try {
    return `${toJSON(value)}\n`;
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/** Checks each value here, where the method that yielded it is known. */
function checked(ctx: Context, chunk: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof chunk === "string" || isBytes(chunk)) return chunk;
  throw unsendable(ctx, `yielded values must be strings or Uint8Arrays, not "${typeof chunk}"`);
}

function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array;
}
