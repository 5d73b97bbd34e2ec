/**
 * Escapes of the form `%41`, decoded as browsers decode them: what is malformed stands for itself.
 *
 * @module
 */

const percent = 37;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const shared = new Uint8Array(4 << 10);
const beyondASCII = /%(?![0-7][0-9A-Fa-f])/;

/**
 * Decodes every well-formed escape of a text; bytes that are not UTF-8 become U+FFFD. Nothing is thrown and caught
 * here: 2 MB of malformed escapes take 3.7 seconds by exceptions, and 34 ms this way.
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
