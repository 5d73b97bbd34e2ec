/**
 * Converts the strings of a query, a form, a path or a header to the types that a schema expects. A string is converted
 * only if nothing is lost. All other strings stay unchanged, and the schema rejects them.
 *
 * @module
 */

import { isJSONObject } from "../../base/data/plain_object.ts";
import { float64 } from "../../base/text/convert.ts";
import { parseJSON } from "../../http/body/source/parse_json.ts";

/** A type of values. `"string"` means that every string may be valid, so that strings are never converted. */
export type TextKind = "string" | "number" | "bigint" | "boolean" | "date" | "object" | "null";

/** The part of a request that a string comes from. */
export type TextPlace = "body" | "query" | "header" | "path";

/** Returns the value of a string, or `undefined` if it has none. */
type TextReader = (text: string, place: TextPlace) => unknown;

/** The conversions, in order of precedence: `1` is a number before it is a boolean. */
const readers: readonly (readonly [kind: TextKind, read: TextReader])[] = [
  ["number", readNumber],
  ["bigint", (text) => /^[+-]?\d{1,1000}$/.test(text) ? BigInt(text) : undefined],
  ["boolean", readBoolean],
  ["date", readDate],
  ["object", readObject],
  // A form submits an empty string for a blank field.
  ["null", (text) => text === "null" || text === "" ? null : undefined],
];

/**
 * Converts a string to one of several types.
 *
 * @param text The string.
 * @param kinds The accepted types.
 * @param place The part of the request that the string comes from.
 * @returns The value, or the string itself if it is not the exact representation of a value.
 */
export function readText(text: string, kinds: ReadonlySet<TextKind>, place: TextPlace): unknown {
  for (const [kind, read] of readers) {
    const value = kinds.has(kind) ? read(text, place) : undefined;
    if (value !== undefined) return value;
  }
  return text;
}

/** Reads a decimal number. An integer that a number cannot represent exactly is not converted. */
function readNumber(text: string): number | undefined {
  // Comparing the digits of a long string takes quadratic time. No exact number needs as many.
  const value = text.length > 1000 ? undefined : float64.read(text);
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && !/^\d{1,15}$/.test(text) && digitsOf(text) !== digitsOf(String(value))) {
    return undefined;
  }
  // Adding 0 turns -0 into 0.
  return value + 0;
}

/** Returns the sign, the significant digits and the exponent of a decimal number. */
function digitsOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, "");
  let end = all.length;
  while (end > 0 && all.charAt(end - 1) === "0") end--;
  const digits = all.slice(0, end);
  if (digits === "") return "0";
  const power = Number(exponent) - fraction.length + all.length - digits.length;
  return `${sign === "-" ? "-" : ""}${digits}e${power}`;
}

function readBoolean(text: string, place: TextPlace): boolean | undefined {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  // The value of a checkbox without a value of its own. A form sends it in its body or in the query string.
  return text === "on" && (place === "body" || place === "query") ? true : undefined;
}

const dateTime = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,3}0*)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Reads an ISO 8601 date, or a date and time with a time zone. */
function readDate(text: string): Date | undefined {
  if (!dateTime.test(text)) return undefined;
  const [day, value] = [new Date(text.slice(0, 10)), new Date(text)];
  if (Number.isNaN(day.getTime()) || Number.isNaN(value.getTime())) return undefined;
  // The platform reads February 30 as March 1.
  return day.toISOString().startsWith(text.slice(0, 10)) ? value : undefined;
}

/** Reads an object from JSON, the encoding that OpenAPI defines for objects in a multipart form. */
function readObject(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    const value = parseJSON(text);
    return isJSONObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
