/**
 * A check of values that a parser made of a client's text.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";

/** How deep arrays and objects may be nested: far beyond honest data, far below the end of the stack. */
const deepest = 400;

/**
 * Refuses values that are dangerous to work with: nested too deeply, with objects that appear in several places (the
 * aliases of YAML, a few of which stand for billions of values), or with another prototype than a plain object's.
 *
 * @param value The parsed value.
 * @param format The name of the format, for the message.
 * @returns The value.
 */
export function checkedValue(value: unknown, format: string): unknown {
  const seen = new Set<object>();
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, depth] = next;
    if (typeof each !== "object" || each === null || each instanceof Date || each instanceof Uint8Array) continue;
    if (depth === deepest) throw refused(format, `it is nested more than ${deepest} levels deep`);
    if (seen.has(each)) throw refused(format, "it refers to one value several times");
    seen.add(each);
    if (Array.isArray(each)) { for (const item of each) open.push([item, depth + 1]); }
    else {
      if (Object.getPrototypeOf(each) !== Object.prototype && Object.getPrototypeOf(each) !== null) {
        throw refused(format, "it is not made of plain objects");
      }
      for (const item of Object.values(each)) open.push([item, depth + 1]);
    }
  }
  return value;
}

function refused(format: string, reason: string): HTTPError {
  return new HTTPError(400, `Cannot read the request body as ${format}: ${reason}`, { Code: "FW_BODY" });
}
