/**
 * Responses that were rebuilt from one of `fetch()`, whose headers still say that the body is compressed.
 *
 * @module
 */

import { continued } from "./draft_body.ts";
import { asPlain } from "./platform_response.ts";

/** The tests for the start of a body. A compressed body always passes, and other bodies practically never do. */
const tests: Readonly<Record<string, (start: Uint8Array<ArrayBuffer>) => boolean | Promise<boolean>>> = {
  gzip: ([first, second]) => first === 0x1f && (second === undefined || second === 0x8b),
  br: isBrotli,
};

/**
 * Removes a `Content-Encoding` that does not apply to the body.
 *
 * @param response A response with a body that `fetch` could have decompressed.
 * @returns The response with the same body, of which the first chunk has been read.
 */
export async function relabeled(response: Response): Promise<Response> {
  const { body, headers } = response;
  const isPacked = tests[headers.get("content-encoding")?.trim().toLowerCase() ?? ""];
  if (body === null || body.locked || isPacked === undefined) return response;
  const reader = body.getReader();
  const first = reader.read();
  const { value, done } = await first;
  const whole = new Response(continued([], reader, first), response);
  return done || await isPacked(value) ? whole : asPlain(whole);
}

async function isBrotli(start: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { writable, readable } = new DecompressionStream("brotli");
  const failed = readable.pipeTo(new WritableStream()).then(() => false, () => true);
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const isValid = await writer.write(start).then(() => true, () => false);
  writer.abort().catch(() => {});
  await failed;
  return isValid;
}
