/**
 * JSON read without a loss: the integers of a 64-bit column are longer than the digits of a number.
 *
 * @module
 */

/** A string or a number of JSON; the integers have a group of their own. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|(-?(?:0|[1-9]\d*))(?![\d.eE])|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Numbers hold all integers of 15 digits: texts without a longer one are read by the platform alone. */
const longInteger = /\d{16}/;

/**
 * Reads a text as JSON. An integer that a number cannot hold exactly is a bigint, and everything else is as
 * `JSON.parse` reads it.
 *
 * @param text The text.
 * @returns Its value.
 */
export function parseLossless(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  // Not by the third argument of a reviver, which some browsers and Node.js 20 do not pass.
  const mark = `integer:${Math.random()}:`;
  const marked = text.replace(token, (whole, integer?: string) => isExact(integer) ? whole : `"${mark}${integer}"`);
  return JSON.parse(marked, (_key, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

function isExact(integer: string | undefined): boolean {
  return integer === undefined || integer.length < 16 || BigInt(Number(integer)) === BigInt(integer);
}
