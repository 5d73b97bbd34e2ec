/**
 * What a response depends on beside its URL.
 *
 * @module
 */

import { addHeader, type Draft, readHeader } from "./draft.ts";

/**
 * Notes that a response was chosen by a header of the request. A cache would otherwise give what one client accepts to
 * clients that accept something else.
 *
 * @param draft The response.
 * @param name The header of the request.
 */
export function varyBy(draft: Draft, name: string): void {
  const names = readHeader(draft, "vary").toLowerCase().split(",").map((each) => each.trim());
  if (!names.includes(name.toLowerCase()) && !names.includes("*")) addHeader(draft, "vary", name);
}
