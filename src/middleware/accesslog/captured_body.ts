/**
 * Reads the bodies of requests and responses for the access log.
 *
 * @module
 */

import { joinBytes } from "../../http/response/draft_body.ts";
import type { Context } from "../../core/context/context.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type Draft, readHeader, setHeader } from "../../http/response/draft.ts";
import { bodyBytes, transformBody } from "../../http/response/draft_body.ts";
import { type CapturedBody, isLogged } from "./masked_body.ts";

/** The maximum number of bytes to read for the log. Longer bodies are only described. */
const MAX_READ = 64 << 10;

/** The first bytes of a body. */
class Capture implements CapturedBody {
  readonly type: string;
  isWhole = false;
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(type: string) {
    this.type = type;
  }

  /** Adds bytes. Reports whether there is room for more. */
  add(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    if (this.#length > MAX_READ) this.#chunks = [];
    else this.#chunks.push(chunk.slice());
    return this.#length <= MAX_READ;
  }

  /** Records the end of the body. */
  end(): void {
    this.isWhole = this.#length <= MAX_READ;
  }

  get bytes(): Uint8Array {
    return joinBytes(this.#chunks);
  }
}

/**
 * Returns the request body that the handlers have read and fw has stored.
 *
 * @returns The body, or `undefined` if the request has none. Bodies that were streamed or not read are not complete.
 */
export async function requestBody({ request, body }: Exchange<Context>): Promise<CapturedBody | undefined> {
  const { headers } = request;
  const type = headers.get("content-type") ?? "";
  // Over a connection, every request except GET and HEAD has a body stream, which may be empty.
  const isEmpty = type === "" || headers.get("content-length") === "0";
  if (isEmpty || request.method === "GET" || request.method === "HEAD") return undefined;
  const capture = new Capture(type);
  if (body === undefined || !isLogged(capture.type)) return request.body === null ? undefined : capture;
  try {
    const reader = await body.open();
    const isStored = await reader.remains() === "bytes";
    if (isStored && capture.add(await reader.bytes())) capture.end();
  } catch {
    // The handlers have received the same error.
  }
  return capture;
}

/**
 * Captures a response body before it is compressed.
 *
 * @returns The body. If it is a stream, its bytes are complete when it has been sent.
 */
export function captureResponse(draft: Draft): CapturedBody {
  const type = readHeader(draft, "content-type");
  const capture = new Capture(type);
  const bytes = bodyBytes(draft);
  if (bytes !== null) {
    if (capture.add(bytes)) capture.end();
    return capture;
  }
  const length = readHeader(draft, "content-length");
  // Reading large files would slow them down.
  if (!isLogged(type) || Number(length) > MAX_READ) return capture;
  transformBody(draft, (stream) => stream.pipeThrough(tap(capture)));
  if (length !== "") setHeader(draft, "content-length", length);
  return capture;
}

function tap(capture: Capture): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(chunk, controller) {
      capture.add(chunk);
      controller.enqueue(chunk);
    },
    flush: () => capture.end(),
  });
}
