/**
 * Percent-decoding as browsers do it: malformed escape sequences are left as they are.
 *
 * @module
 */

const percent = 37;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const shared = new Uint8Array(4 << 10);
const beyondASCII = /%(?![0-7][0-9A-Fa-f])/;

/**
 * Decodes all well-formed escape sequences in a string. Invalid UTF-8 becomes U+FFFD. The function does not rely on
 * exceptions, because decoding 2 MB of malformed sequences takes 3.7 seconds with them and 34 ms without.
 *
 * @param text The string to decode.
 * @returns The decoded string.
 */
export function decodeEscapes(text: string): string {
  if (!text.includes("%")) return text;
  // The platform's decoder takes half the time (0.7 µs instead of 1.3 µs for 52 letters) and never throws if every
  // escape sequence is ASCII.
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

/**
 * Returns the value of a hexadecimal digit. For any other character, the result is so negative that no sum with it is a
 * valid byte.
 */
function digit(bytes: Uint8Array, at: number, end: number): number {
  const code = at < end ? (bytes[at] as number) : 0;
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1000;
}
