/**
 * Compressed bodies, unpacked piece by piece.
 *
 * By node:zlib and not by the platform's `DecompressionStream`, which unpacks a chunk whole, however large it becomes:
 * of 1.7 KB of brotli it makes 1 GB at once. These unpack 64 KiB, and go on when those are read.
 *
 * @module
 */

import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { unsupportedCoding } from "./content_coding.ts";
import type { Source } from "./source.ts";

const packedSize = 16 << 10;
const options = { chunkSize: 64 << 10 };

/**
 * The codings that can be unpacked, by their names in `Content-Encoding`. Not brotli and zstd: on Deno 2.9.5 both take
 * a stream that was cut off for a whole one.
 */
const codings: Readonly<Record<string, () => Transform>> = {
  "gzip": () => createGunzip(options),
  "x-gzip": () => createGunzip(options),
  "deflate": () => createInflate(options),
};

/**
 * Unpacks a body.
 *
 * @param source The body as it comes.
 * @param coding The coding, in lower case.
 * @returns Its bytes.
 */
export async function* unpack(source: Source, coding: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const create = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (create === undefined) throw unsupportedCoding(coding);
  const engine = create();
  // An error of the one is passed on to the other, and thrown here; there is nothing to do about it in between.
  pipeline(Readable.from(packed(source)), engine, () => {});
  for await (const chunk of engine) yield chunk;
}

async function* packed(source: Source): AsyncGenerator<Uint8Array> {
  try {
    const isDirect = source.open();
    // Small pieces: one of them may unpack to a thousand times its size.
    for (;;) {
      const chunk = await source.read(new Uint8Array(isDirect ? packedSize : 0));
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    source.cancel();
  }
}
