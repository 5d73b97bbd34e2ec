/**
 * A stream whose bytes are collected while it is sent.
 *
 * @module
 */

/** A byte stream. */
type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Collects the bytes of a stream while they are sent to the client, without delaying them.
 *
 * @param stream The stream.
 * @param limit The maximum number of bytes to collect.
 * @param done Called once with all bytes, or with `undefined` if the limit is exceeded or the stream fails.
 * @returns A stream with the same bytes.
 */
export function collect(
  stream: ByteStream,
  limit: number,
  done: (bytes: Uint8Array<ArrayBuffer> | undefined) => void,
): ByteStream {
  const reader = stream.getReader();
  let chunks: Uint8Array<ArrayBuffer>[] | undefined = [];
  let length = 0;
  const giveUp = () => {
    if (chunks !== undefined) done(undefined);
    chunks = undefined;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done: isEnd, value } = await reader.read();
        if (isEnd) {
          controller.close();
          if (chunks !== undefined) done(joined(chunks, length));
          chunks = undefined;
          return;
        }
        length += value.length;
        if (length > limit) giveUp();
        chunks?.push(value.slice());
        controller.enqueue(value);
      } catch (error) {
        giveUp();
        throw error;
      }
    },
    cancel(reason) {
      giveUp();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

function joined(chunks: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
