/**
 * The declared length of request bodies.
 *
 * @module
 */

import { malformed, tooLarge } from "./body_errors.ts";

/**
 * Reads the declared length of a body.
 *
 * @param headers The request headers.
 * @returns The length, or -1 if none is declared.
 */
export function declaredLength(headers: Headers): number {
  const text = headers.get("content-length");
  if (text === null) return -1;
  // For HTTP/1, the server has already validated the header. For HTTP/2, two different lengths would arrive here joined
  // by a comma.
  if (!/^\d+$/.test(text)) throw malformed("read the length of the request body", "it is not a number");
  return Number(text);
}

/**
 * Rejects a body whose length exceeds the limit, before any of it is read.
 *
 * @param length The body's length, in bytes.
 * @param limit The maximum length, in bytes.
 * @throws {HTTPError} With status 413 if the body is too long.
 */
export function assertLength(length: number, limit: number): void {
  if (length > limit) throw tooLarge("read the request body", `it has ${length} bytes, but only ${limit} are allowed`);
}
