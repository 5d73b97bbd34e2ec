/**
 * The length that a request declares for its body.
 *
 * @module
 */

import { malformed, tooLarge } from "./body_errors.ts";

/**
 * Reads the declared length of a body.
 *
 * @param headers The headers of the request.
 * @returns The length; -1 when none is declared.
 */
export function declaredLength(headers: Headers): number {
  const text = headers.get("content-length");
  if (text === null) return -1;
  // HTTP/1 has been checked by the server; over HTTP/2 two different lengths arrive here, joined by a comma.
  if (!/^\d+$/.test(text)) throw malformed("read the length of the request body", "it is not a number");
  return Number(text);
}

/**
 * Refuses a body that is too large by its length, before any of it is read.
 *
 * @param length The length.
 * @param limit How many bytes may come.
 */
export function assertLength(length: number, limit: number): void {
  if (length > limit) throw tooLarge("read the request body", `it has ${length} bytes and ${limit} are allowed`);
}
