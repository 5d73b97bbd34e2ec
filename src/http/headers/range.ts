/**
 * The `Range` request header (RFC 9110, section 14).
 *
 * @module
 */

import { trimBlanks } from "./header.ts";

/** The first and last byte of a range. */
export type ByteRange = readonly [first: number, last: number];

/** The maximum number of ranges per response. No player or resumed download needs more. */
const most = 100;

/**
 * Parses a `Range` header with byte ranges.
 *
 * @param header The header value.
 * @param size The size of the complete content, in bytes.
 * @returns The ranges in the requested order. Returns `undefined` if the whole content should be sent, because the
 * header is empty or malformed, uses another unit, or requests more bytes than the content has.
 */
export function parseRanges(header: string, size: number): readonly ByteRange[] | "unsatisfiable" | undefined {
  const equals = header.indexOf("=");
  if (equals < 0 || header.slice(0, equals).toLowerCase() !== "bytes") return undefined;
  const specs = header.slice(equals + 1).split(",", most + 1).map(trimBlanks).filter((spec) => spec !== "");
  if (specs.length === 0 || specs.length > most) return undefined;
  const ranges: ByteRange[] = [];
  let total = 0;
  for (const spec of specs) {
    const range = readSpec(spec, size);
    if (range === undefined) return undefined;
    if (range === "unsatisfiable") continue;
    ranges.push(range);
    total += range[1] - range[0] + 1;
  }
  if (ranges.length === 0) return "unsatisfiable";
  // Overlapping ranges can add up to many times the size of the content.
  return total > size ? undefined : ranges;
}

/** Parses `0-4`, `5-` or `-3`. */
function readSpec(spec: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : [Math.max(0, size - Number(last)), size - 1];
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return "unsatisfiable";
  return [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
}
