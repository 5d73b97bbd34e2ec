/**
 * Requests with a size limit, for code outside fw.
 *
 * @module
 */

import type { Source } from "./source.ts";

const chunkSize = 64 << 10;

/** Creates a copy of the request whose body is read through a source, so that the size limit applies. */
export function countedRequest(request: Request, open: () => Source): Request {
  let source: Source | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      source ??= open();
      const chunk = await source.read(new Uint8Array(chunkSize));
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: () => (source ??= open()).cancel(),
  }, { highWaterMark: 0 });
  return new Request(request, { body });
}
