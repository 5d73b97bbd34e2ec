/**
 * Headers that are the same for all responses. They are validated once and set together.
 *
 * @module
 */

import { checkHeaderName, checkHeaderValue } from "../headers/header.ts";
import { type Draft, isShut } from "./draft.ts";

/** Validated headers. */
export type HeaderPairs = readonly [name: string, value: string][];

/**
 * Validates headers.
 *
 * @param headers The header names and values.
 * @returns The headers with lowercase names.
 * @throws {FrameworkError} If a header cannot be sent.
 */
export function headerPairs(headers: Readonly<Record<string, string>>): HeaderPairs {
  return Object.entries(headers).map(([name, value]) => {
    const key = checkHeaderName(name);
    return [key, checkHeaderValue(key, value)];
  });
}

/**
 * Sets validated headers, replacing existing ones. Setting twelve headers together takes 0.1 µs, compared to 2 µs one
 * by one (tests/bench).
 */
export function presetHeaders(draft: Draft, pairs: HeaderPairs): void {
  if (isShut(draft)) return;
  const { headers } = draft;
  // Copy the array, because later headers are appended to it.
  if (headers === undefined) draft.headers = pairs.slice();
  else draft.headers = [...headers.filter(([name]) => !pairs.some((pair) => pair[0] === name)), ...pairs];
}
