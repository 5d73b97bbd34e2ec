/**
 * Lossless JSON parsing. A 64-bit integer can have more digits than a number can represent.
 *
 * @module
 */

/**
 * Numbers can represent all 15-digit integers exactly, so strings without a longer run of digits only need
 * `JSON.parse`.
 */
const longInteger = /[1-9]\d{15}/;
/** The maximum number of digits. The time that `BigInt` takes grows faster than their number. */
const MAX_DIGITS = 4_096;
const [quote, minus, zero, nine, backslash] = [0x22, 0x2d, 0x30, 0x39, 0x5c];

/**
 * Parses a JSON string. Integers that a number cannot represent exactly become bigints. Everything else is parsed as by
 * `JSON.parse`.
 *
 * @param text The JSON string.
 * @returns The parsed value.
 */
export function parseLossless(text: string): unknown {
  // Everything below relies on valid input, and takes time in proportion to it only because of that.
  const value = JSON.parse(text);
  if (!longInteger.test(text)) return value;
  // The reviver's third argument is not used, because some browsers and Node.js 20 do not pass it.
  const mark = `integer:${Math.random()}:`;
  return JSON.parse(markIntegers(text, mark), (_key, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/** Turns the integers that a number cannot represent exactly into strings that begin with a mark. */
function markIntegers(text: string, mark: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const end = code === quote ? stringEnd(text, at) : code === minus || isDigit(code) ? numberEnd(text, at) : at + 1;
    if (code !== quote && end - at > 15) {
      const found = text.slice(at, end);
      if (!isExact(found)) {
        parts.push(text.slice(copied, at), `"${mark}${found}"`);
        copied = end;
      }
    }
    at = end;
  }
  return parts.join("") + text.slice(copied);
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) at += code === backslash ? 2 : 1;
  return at + 1;
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && (isDigit(text.charCodeAt(at)) || ".eE+-".includes(text.charAt(at)))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/**
 * Reports whether a number can represent the integer exactly and is written with the same digits. `JSON.stringify`
 * writes 2^60 as 1152921504606847000.
 */
function isExact(found: string): boolean {
  if (!/^-?\d+$/.test(found) || String(Number(found)) === found) return true;
  if (found.length <= MAX_DIGITS) return false;
  throw new SyntaxError(`Cannot parse an integer with ${found.length} digits: the maximum is ${MAX_DIGITS}`);
}
