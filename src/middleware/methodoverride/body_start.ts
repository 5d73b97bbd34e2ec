/**
 * Reads the start of a request body before the whole body is passed on.
 *
 * @module
 */

import { joinBytes } from "../../http/response/draft_body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A body whose start has been read. */
export interface BodyStart {
  /** The bytes read so far. */
  readonly bytes: Bytes;
  /** Whether the bytes are the whole body. */
  readonly isWhole: boolean;
  /** The whole body, including its start. */
  readonly body: Bytes | ReadableStream<Bytes>;
}

/** Limits for reading the start of a body. */
export interface StartLimits {
  /** The maximum number of bytes to wait for. */
  readonly bytes: number;
  /** The time limit, in milliseconds. */
  readonly time: number;
}

/**
 * Reads the start of a body.
 *
 * @param body The body.
 * @param limits The limits.
 * @returns The start, or `undefined` if the time limit was exceeded. The body is canceled in that case.
 */
export async function readStart(body: ReadableStream<Bytes>, limits: StartLimits): Promise<BodyStart | undefined> {
  const reader = body.getReader();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limits.time);
  const chunks: Bytes[] = [];
  try {
    for (let length = 0; length <= limits.bytes;) {
      const result = await Promise.race([reader.read(), late.promise]);
      if (result === undefined) {
        await reader.cancel();
        return undefined;
      }
      if (result.done) {
        const bytes = joinBytes(chunks);
        return { bytes, isWhole: true, body: bytes };
      }
      chunks.push(result.value);
      length += result.value.length;
    }
    return { bytes: joinBytes(chunks), isWhole: false, body: replayed(chunks, reader) };
  } finally {
    clearTimeout(timer);
  }
}

function replayed(chunks: Bytes[], reader: ReadableStreamDefaultReader<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const chunk = chunks.shift() ?? (await reader.read()).value;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
