/**
 * Stream responses.
 *
 * @module
 */

import { type Draft, setBody, setHeader } from "./draft.ts";

/** Options for `ctx.Stream`. */
export interface StreamOptions {
  /**
   * Whether to send `X-Accel-Buffering: no`, which makes nginx forward each chunk immediately.
   *
   * @default {false}
   */
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
