/**
 * Sources of streamed responses.
 *
 * @module
 */

/** What `ctx.Stream` takes: a stream of bytes, or an iterable of texts and bytes. */
export type StreamSource =
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | Iterable<string | Uint8Array<ArrayBuffer>>
  | AsyncIterable<string | Uint8Array<ArrayBuffer>>;

/** Creates a stream of bytes; pulling from it pulls from the source, so a slow client slows the source down. */
export function byteStream(source: StreamSource): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (source instanceof ReadableStream) return source;
  return ReadableStream.from(encoded(source));
}

async function* encoded(
  source: Iterable<string | Uint8Array<ArrayBuffer>> | AsyncIterable<string | Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  for await (const part of source) yield typeof part === "string" ? encoder.encode(part) : part;
}
