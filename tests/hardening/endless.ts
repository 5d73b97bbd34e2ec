/**
 * A stream that does not end.
 *
 * @module
 */

/** Creates a stream that never ends after its first chunk. */
export function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isBegun = false;
  return new ReadableStream({
    pull(controller) {
      if (isBegun) return new Promise(() => {});
      isBegun = true;
      controller.enqueue(new TextEncoder().encode("first piece"));
    },
  }, { highWaterMark: 0 });
}
