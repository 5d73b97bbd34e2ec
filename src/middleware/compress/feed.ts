/**
 * Writes streams to encoders chunk by chunk.
 *
 * @module
 */

import type { Transform } from "node:stream";

/** An encoder of `node:zlib`. */
export interface FlushingTransform extends Transform {
  flush(kind: number): void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The number of promise jobs to wait for the next chunk before flushing. Generators that do not wait for anything need
 * about ten.
 */
const patience = 24;

/**
 * Writes all chunks to an encoder. If the next chunk is not available yet, the encoder is flushed, so that the client
 * can read the chunks that have been written while the source is waiting. Chunks that are available at once are not
 * flushed one by one, because that would cost time and increase the size. Errors destroy the encoder, and if the
 * encoder is destroyed because the client has disconnected, the source is canceled.
 */
export async function feed(
  reader: ReadableStreamDefaultReader<Bytes>,
  encoder: FlushingTransform,
  flush: number,
): Promise<void> {
  encoder.on("close", () => void reader.cancel().catch(ignore));
  try {
    let next = reader.read();
    for (;;) {
      const { done, value } = await next;
      if (encoder.destroyed) return;
      if (done) return void encoder.end();
      const hasRoom = encoder.write(value);
      next = reader.read();
      if (!await isSoon(next)) encoder.flush(flush);
      if (!hasRoom) await room(encoder);
    }
  } catch (error) {
    encoder.destroy(error as Error);
  }
}

/** Reports whether a promise settles without waiting for anything but other promises. */
async function isSoon(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => void (isSettled = true);
  promise.then(settle, settle);
  for (let left = patience; left > 0 && !isSettled; left--) await undefined;
  return isSettled;
}

/** Waits until the encoder accepts more bytes or has been closed. */
function room(encoder: FlushingTransform): Promise<void> {
  if (!encoder.writableNeedDrain || encoder.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const go = () => {
      encoder.off("drain", go);
      encoder.off("close", go);
      resolve();
    };
    encoder.on("drain", go);
    encoder.on("close", go);
  });
}

function ignore(): void {}
