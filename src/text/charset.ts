/**
 * Encoders for charsets. The platform encodes UTF-8 only, but decodes all charsets of the web.
 *
 * @module
 */

/** Encodes text as bytes. Characters outside of the charset become question marks. */
export type Encoder = (text: string) => Uint8Array<ArrayBuffer>;

const known = new Map<string, Encoder>([["utf-8", (text) => new TextEncoder().encode(text)]]);

/**
 * Returns the encoder of a charset.
 *
 * @param name The name of the charset, in lower case.
 * @returns The encoder, or `undefined` if the charset is unknown or has characters of several bytes.
 */
export function encoderOf(name: string): Encoder | undefined {
  let encoder = known.get(name);
  if (encoder === undefined) {
    encoder = singleByteEncoder(name);
    // The names come from programs, never from clients, so the number of encoders is limited.
    if (encoder !== undefined) known.set(name, encoder);
  }
  return encoder;
}

function singleByteEncoder(name: string): Encoder | undefined {
  let text: string;
  try {
    text = new TextDecoder(name, { ignoreBOM: true }).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  } catch {
    return undefined;
  }
  // The platform decodes ISO 8859-1 as its superset windows-1252, as browsers do.
  if (text.length !== 256 || !text.startsWith("\0\x01\x02")) return undefined;
  const bytes = new Map(Array.from(text, (sign, byte) => [sign, byte] as const).filter(([sign]) => sign !== "\ufffd"));
  return (text) => Uint8Array.from(Array.from(text, (sign) => bytes.get(sign) ?? 0x3f));
}
