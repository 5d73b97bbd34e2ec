/**
 * Validation of values parsed from request bodies.
 *
 * @module
 */

import { isPlainObject } from "../../base/data/plain_object.ts";
import { HTTPError } from "../../base/errors/errors.ts";

/**
 * The maximum nesting depth of arrays and objects. It is much deeper than legitimate data and well below the stack
 * limit.
 */
const deepest = 400;

/**
 * Rejects values that are dangerous to process: deeply nested values, objects that appear more than once (in YAML, a
 * few aliases can expand to billions of values), and objects whose prototype is not that of a plain object.
 *
 * @param value The parsed value.
 * @param format The name of the format, for the error message.
 * @returns The unchanged value.
 */
export function checkedValue(value: unknown, format: string): unknown {
  const seen = new Set<object>();
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, depth] = next;
    if (typeof each !== "object" || each === null || each instanceof Date || each instanceof Uint8Array) continue;
    if (depth === deepest) throw refused(format, `it is nested more than ${deepest} levels deep`);
    if (seen.has(each)) throw refused(format, "it refers to the same value several times");
    seen.add(each);
    if (Array.isArray(each)) { for (const item of each) open.push([item, depth + 1]); }
    else {
      if (!isPlainObject(each)) {
        throw refused(format, "it contains values other than plain objects");
      }
      for (const item of Object.values(each)) open.push([item, depth + 1]);
    }
  }
  return value;
}

function refused(format: string, reason: string): HTTPError {
  return new HTTPError(400, `Cannot read the request body as ${format}: ${reason}`, { Code: "FW_BODY" });
}
