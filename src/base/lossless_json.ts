/**
 * JSON read without a loss: the integers of a 64-bit column are longer than the digits of a number.
 *
 * @module
 */

/** A string or a number of JSON. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

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
  const marked = text.replace(token, (found) => isExact(found) ? found : `"${mark}${found}"`);
  return JSON.parse(marked, (_key, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/** Everything but a long integer is; one that begins with a zero is left for the platform to refuse. */
function isExact(found: string): boolean {
  return !/^-?[1-9]\d{15,}$/.test(found) || BigInt(Number(found)) === BigInt(found);
}
