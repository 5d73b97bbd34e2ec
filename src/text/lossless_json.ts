/**
 * Lossless JSON parsing. A 64-bit integer can have more digits than a number can represent.
 *
 * @module
 */

/** Matches a JSON string or number. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Numbers can represent all 15-digit integers exactly, so strings without a longer run of digits only need
 * `JSON.parse`.
 */
const longInteger = /[1-9]\d{15}/;

/**
 * Parses a JSON string. Integers that a number cannot represent exactly become bigints. Everything else is parsed as by
 * `JSON.parse`.
 *
 * @param text The JSON string.
 * @returns The parsed value.
 */
export function parseLossless(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  // The reviver's third argument is not used, because some browsers and Node.js 20 do not pass it.
  const mark = `integer:${Math.random()}:`;
  const marked = text.replace(token, (found) => isExact(found) ? found : `"${mark}${found}"`);
  return JSON.parse(marked, (_key, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/**
 * Reports whether a number can represent the integer exactly and is written with the same digits. `JSON.stringify`
 * writes 2^60 as 1152921504606847000. Integers with a leading zero are left for `JSON.parse` to reject.
 */
function isExact(found: string): boolean {
  return !/^-?[1-9]\d{15,}$/.test(found) || String(Number(found)) === found;
}
