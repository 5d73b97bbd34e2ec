/**
 * Streams the values that a generator yields. Loaded on first use.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";
import { eventsTerms } from "../exchange/stream_terms.ts";
import { sendEvents, ServerEvent } from "../response/server_events.ts";
import { toJSON } from "../text/json.ts";
import { named, unsendable } from "./encode.ts";

/**
 * Sends the values that a generator yields. The first value determines the format. Strings and bytes are sent as they
 * are, events are sent as server-sent events, and all other values are sent as JSON Lines. The headers are sent with
 * the first value, so an error page can be sent if the generator fails before that.
 */
export async function writeChunks(ctx: Context, source: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  const values = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const first = await values.next();
  const rest = resumed(first, values);
  const exchange = exchangeOf(ctx);
  const { draft } = exchange;
  if (first.value instanceof ServerEvent) {
    return sendEvents(draft, rest, {}, { ...eventsTerms(exchange), marksStrings: true });
  }
  const isText = typeof first.value === "string";
  if (isText || isBytes(first.value) || first.done === true) {
    // Tells the typed client to read the body in chunks.
    ctx.Header("x-content-stream", isText ? "text" : "bytes");
    return ctx.Stream(checked(ctx, rest));
  }
  if (draft.type === "") ctx.ContentType("application/jsonl");
  ctx.Stream(jsonLines(ctx, rest));
}

/**
 * Iterates over all values, starting with the first one that has already been read. Closes the iterator when the reader
 * stops.
 */
async function* resumed(
  first: IteratorResult<unknown>,
  values: Iterator<unknown> | AsyncIterator<unknown>,
): AsyncGenerator<unknown> {
  try {
    for (let next = first; next.done !== true; next = await values.next()) yield next.value;
  } finally {
    await values.return?.();
  }
}

async function* jsonLines(ctx: Context, source: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of source) {
    try {
      yield `${toJSON(value)}\n`;
    } catch (thrown) {
      throw named(ctx, thrown);
    }
  }
}

/** Checks each value here, where the method that yielded it is known. */
async function* checked(
  ctx: Context,
  source: AsyncIterable<unknown>,
): AsyncGenerator<string | Uint8Array<ArrayBuffer>> {
  for await (const chunk of source) {
    if (typeof chunk !== "string" && !isBytes(chunk)) {
      throw unsendable(ctx, `yielded values must be strings or Uint8Arrays, not "${typeof chunk}"`);
    }
    yield chunk;
  }
}

function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array;
}
