/**
 * The `Vary` header.
 *
 * @module
 */

import { addHeader, type Draft, readHeader } from "./draft.ts";

/**
 * Records that a response depends on a request header. Otherwise, a cache would serve the response to clients that
 * accept something else.
 *
 * @param draft The response draft.
 * @param name The request header's name.
 */
export function varyBy(draft: Draft, name: string): void {
  const listed = readHeader(draft, "vary");
  if (listed === "" || !lists(listed, name)) addHeader(draft, "vary", name);
}

function lists(header: string, name: string): boolean {
  const names = header.toLowerCase().split(",").map((each) => each.trim());
  return names.includes(name.toLowerCase()) || names.includes("*");
}
