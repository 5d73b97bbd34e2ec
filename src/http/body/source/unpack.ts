/**
 * Incremental decompression of request bodies.
 *
 * `node:zlib` is used instead of the platform's `DecompressionStream`, which decompresses a whole chunk in one step, no
 * matter how large the result is. For example, 1.7 KB of brotli can become 1 GB in one step. `node:zlib` decompresses
 * 64 KiB at a time and continues after they have been read.
 *
 * @module
 */

import type { Transform } from "node:stream";
import type zlib from "node:zlib";
import { loadModule } from "../../../base/async/lazy_module.ts";
import { unsupportedCoding } from "./expected_type.ts";
import type { Source } from "./source.ts";

const packedSize = 16 << 10;
const options = { chunkSize: 64 << 10 };

/**
 * The supported codings by their names in `Content-Encoding`. Brotli and zstd are not supported, because on Deno 2.9.5
 * both accept a truncated stream as complete.
 */
const codings: Readonly<Record<string, (engines: typeof zlib) => Transform>> = {
  "gzip": (engines) => engines.createGunzip(options),
  "x-gzip": (engines) => engines.createGunzip(options),
  "deflate": (engines) => engines.createInflate(options),
};

/**
 * Decompresses a body.
 *
 * @param source The compressed body.
 * @param coding The content coding, in lower case.
 * @returns The decompressed bytes.
 */
export async function* unpack(source: Source, coding: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const create = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (create === undefined) throw unsupportedCoding(coding);
  // These parts of Node.js take long to load, and few bodies are compressed.
  const { pipeline, Readable } = await loadModule(() => import("node:stream"));
  const engine = create(await loadModule(() => import("node:zlib")));
  // The pipeline forwards errors to the engine, which throws them below, so the callback has nothing to do.
  pipeline(Readable.from(packed(source)), engine, () => {});
  for await (const chunk of engine) yield chunk;
}

async function* packed(source: Source): AsyncGenerator<Uint8Array> {
  try {
    const isDirect = source.open();
    // The pieces are small, because decompression may expand each of them a thousand times.
    for (;;) {
      const chunk = await source.read(new Uint8Array(isDirect ? packedSize : 0));
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    source.cancel();
  }
}
