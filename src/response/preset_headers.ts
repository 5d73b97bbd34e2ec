/**
 * Headers that are the same for every response: checked once, and handed over whole.
 *
 * @module
 */

import { checkHeaderName, checkHeaderValue } from "../http/header.ts";
import { type Draft, isShut } from "./draft.ts";

/** Headers whose names and values have been checked. */
export type HeaderPairs = readonly [name: string, value: string][];

/**
 * Checks headers.
 *
 * @param headers Names and values.
 * @returns The same with names in lower case; it throws at one that cannot be sent.
 */
export function headerPairs(headers: Readonly<Record<string, string>>): HeaderPairs {
  return Object.entries(headers).map(([name, value]) => {
    const key = checkHeaderName(name);
    return [key, checkHeaderValue(key, value)];
  });
}

/**
 * Sets checked headers, in place of those of their names. Twelve of them cost 0.1 µs, one by one 2 µs (tests/bench).
 */
export function presetHeaders(draft: Draft, pairs: HeaderPairs): void {
  if (isShut(draft)) return;
  const { headers } = draft;
  // A copy: a header that is added later goes into the list.
  if (headers === undefined) draft.headers = pairs.slice();
  else draft.headers = [...headers.filter(([name]) => !pairs.some((pair) => pair[0] === name)), ...pairs];
}
