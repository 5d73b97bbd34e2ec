/**
 * The length that a request declares for its body.
 *
 * @module
 */

import { tooLarge } from "./body_errors.ts";

/**
 * Reads the declared length of a body.
 *
 * @param headers The headers of the request.
 * @returns The length; -1 when none is declared.
 */
export function declaredLength(headers: Headers): number {
  const text = headers.get("content-length");
  return text !== null && /^\d+$/.test(text) ? Number(text) : -1;
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
