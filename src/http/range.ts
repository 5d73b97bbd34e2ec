/**
 * The `Range` header of requests for parts of a file (RFC 9110, 14).
 *
 * @module
 */

import { trimBlanks } from "./blanks.ts";

/** A part: its first and its last byte. */
export type ByteRange = readonly [first: number, last: number];

/** The most parts of one response: more of them are a burden that no player or resumed download needs. */
const most = 100;

/**
 * Reads a header that asks for ranges of bytes.
 *
 * @param header The header's value.
 * @param size The size of the whole.
 * @returns The parts, in the order they were asked for; `undefined` where the whole is to be sent, because the header
 * is empty or malformed, of another unit, or asks for more than the whole.
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
  // Parts that overlap may come to many times the whole.
  return total > size ? undefined : ranges;
}

/** Reads `0-4`, `5-` or `-3`. */
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
