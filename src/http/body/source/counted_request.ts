/**
 * Requests for code outside fw, with a size limit or with a body that fw has already read.
 *
 * @module
 */

import type { Source } from "./source.ts";

const chunkSize = 64 << 10;

/** Creates a copy of the request whose body is read through a source, so that the size limit applies. */
export function countedRequest(request: Request, open: () => Promise<Source>): Request {
  let source: Promise<Source> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const chunk = await (await (source ??= open())).read(new Uint8Array(chunkSize));
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: async () => (await (source ??= open())).cancel(),
  }, { highWaterMark: 0 });
  return new Request(request, { body });
}

/** The methods of requests that cannot be created, or not with a body. */
const withoutCopy: ReadonlySet<string> = new Set(["GET", "HEAD", "CONNECT", "TRACE", "TRACK"]);

/** Creates a copy of the request whose body is the one that was read from it. */
export function storedRequest(
  request: Request,
  stored: { bytes(): Promise<Uint8Array<ArrayBuffer>> },
): Request {
  const { url, method, headers } = request;
  if (withoutCopy.has(method)) return request;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const bytes = await stored.bytes();
      // The caller may change the bytes.
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  }, { highWaterMark: 0 });
  const copy = new Request(url, { method, headers, body });
  // Reading the signal makes Deno watch the connection, so it is read only if the caller asks for it.
  return Object.defineProperty(copy, "signal", { get: () => request.signal, configurable: true });
}
