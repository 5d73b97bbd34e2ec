/**
 * Charsets. The platform can decode all charsets of the web, but can only encode UTF-8.
 *
 * @module
 */

import { HTTPError } from "../errors/errors.ts";

/**
 * Decodes text that a client has sent.
 *
 * @param bytes The bytes. A byte order mark takes precedence over the charset.
 * @param charset The name of the charset, or an empty string for UTF-8.
 * @throws {HTTPError} 415 if the charset is unknown, or 400 if the bytes are not valid.
 */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const name = (bytes[0] === 0xff && bytes[1] === 0xfe && "utf-16le") ||
    (bytes[0] === 0xfe && bytes[1] === 0xff && "utf-16be") || charset || "utf-8";
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(name, { fatal: true });
  } catch {
    throw new HTTPError(415, "Cannot read the request body: its charset is not supported", { Code: "FW_BODY" });
  }
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    const message = `Cannot read the request body: it is not valid ${decoder.encoding.toUpperCase()}`;
    throw new HTTPError(400, message, { Code: "FW_BODY", cause });
  }
}

/** Encodes text as bytes. Characters that are not in the charset become question marks. */
export type Encoder = (text: string) => Uint8Array<ArrayBuffer>;

const known = new Map<string, Encoder>([["utf-8", (text) => new TextEncoder().encode(text)]]);

/**
 * Returns the encoder of a charset.
 *
 * @param name The name of the charset, in lower case.
 * @returns The encoder, or `undefined` if the charset is unknown or has multi-byte characters.
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
  if (text.length !== 256 || !text.startsWith("\0\x01\x02")) return undefined;
  // The platform decodes ISO 8859-1 as windows-1252, like browsers.
  const bytes = new Map(Array.from(text, (sign, byte) => [sign, byte] as const).filter(([sign]) => sign !== "\ufffd"));
  // In charsets with escape sequences, such as ISO-2022-JP, bytes above 127 are not characters.
  if (bytes.size < 192) return undefined;
  return (text) => Uint8Array.from(Array.from(text, (sign) => bytes.get(sign) ?? 0x3f));
}
