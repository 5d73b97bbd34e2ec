/**
 * Byte streams that are observed while they are passed on.
 *
 * @module
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** The receiver of what happens to a stream. */
export interface Observer {
  /** Called with each part, before it is passed on. */
  chunk(bytes: Bytes): void;
  /** Called once, when the stream has been read or has failed, or when its reader has left. */
  ended(how: "read" | "failed" | "left", error?: unknown): void;
}

/** Passes on a stream part by part, without reading ahead. */
export function observed(stream: ReadableStream<Bytes>, { chunk, ended }: Observer): ReadableStream<Bytes> {
  const reader = stream.getReader();
  let isLeft = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        // The reader may have left in the meantime, which closes the controller.
        if (isLeft) return;
        if (!done) {
          chunk(value);
          return controller.enqueue(value);
        }
        controller.close();
      } catch (error) {
        if (!isLeft) ended("failed", error);
        throw error;
      }
      ended("read");
    },
    cancel(reason) {
      isLeft = true;
      ended("left");
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
