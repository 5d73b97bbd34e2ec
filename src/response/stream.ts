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

/**
 * Creates a stream of bytes; pulling from it pulls from the source, so a slow client slows the source down.
 *
 * @param source Where the bytes come from. A stream is taken as it is, since Deno sends one of a file without a detour.
 * @param cutOff Breaks the stream off, also while the source waits for something.
 * @returns The stream.
 */
export function byteStream(source: StreamSource, cutOff: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (source instanceof ReadableStream) return source;
  const chunks = encoded(source);
  let breakOff: () => void;
  return new ReadableStream({
    start(controller): void {
      breakOff = () => {
        controller.error(cutOff.reason);
        chunks.return(undefined).catch(() => {});
      };
      cutOff.addEventListener("abort", breakOff, { once: true });
    },
    async pull(controller): Promise<void> {
      let isMore = false;
      try {
        const { done, value } = await chunks.next();
        if (cutOff.aborted) return;
        isMore = done !== true;
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      } finally {
        if (!isMore) cutOff.removeEventListener("abort", breakOff);
      }
    },
    async cancel(): Promise<void> {
      cutOff.removeEventListener("abort", breakOff);
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* encoded(
  source: Iterable<string | Uint8Array<ArrayBuffer>> | AsyncIterable<string | Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const encoder = new TextEncoder();
  for await (const part of source) yield typeof part === "string" ? encoder.encode(part) : part;
  return undefined;
}
