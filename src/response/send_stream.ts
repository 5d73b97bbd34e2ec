/**
 * Streams as responses.
 *
 * @module
 */

import { type Draft, setBody, setHeader } from "./draft.ts";

/** Options for `ctx.Stream`. */
export interface StreamOptions {
  /** Whether nginx sends each piece on as it comes, by `X-Accel-Buffering: no`. */
  Unbuffered?: boolean;
}

/** Responds with a stream. */
export function sendStream(
  draft: Draft,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: StreamOptions,
): void {
  if (options.Unbuffered === true) setHeader(draft, "x-accel-buffering", "no");
  setBody(draft, stream);
}
