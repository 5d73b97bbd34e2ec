/**
 * A stream that does not end.
 *
 * @module
 */

/** A stream of which only the first piece ever comes. */
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
