/**
 * The text of API keys: `PREFIX_`, an ID, a secret and a checksum. It contains only letters, digits and underscores, so
 * that a double click selects all of it, and programs that search for leaked secrets recognize it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const idLength = 12;
/** The length of the secret, which has 184 random bits. */
const secretLength = 31;
const checksumLength = 6;
const bodyLength = idLength + secretLength + checksumLength;

/** A new key. */
export interface KeyText {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

/** Creates a random key. */
export function newKeyText(prefix: string): KeyText {
  const id = randomText(idLength);
  const start = `${prefix}_${id}${randomText(secretLength)}`;
  const text = start + checksumOf(start);
  return { id, text, hash: hashOf(text) };
}

/**
 * Returns the ID of a key. The checksum is compared first, so that mistyped and invented keys cost no query.
 *
 * @param prefix The prefix.
 * @param text The text that a client sent.
 * @returns The ID, or `undefined` if the text is not a key.
 */
export function idOf(prefix: string, text: string): string | undefined {
  const start = prefix.length + 1;
  if (text.length !== start + bodyLength || !text.startsWith(`${prefix}_`)) return undefined;
  for (let at = start; at < text.length; at++) if (!alphabet.includes(text.charAt(at))) return undefined;
  const end = text.length - checksumLength;
  return text.slice(end) === checksumOf(text.slice(0, end)) ? text.slice(start, start + idLength) : undefined;
}

/** Returns the regular expression that finds keys in files and logs. */
export function patternOf(prefix: string): string {
  return `\\b${prefix}_[0-9A-Za-z]{${bodyLength}}\\b`;
}

/** Returns the hash to store. The secret is random and long, so that a fast hash is enough. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Compares a key with a stored hash, in constant time. */
export function isKeyOf(hash: string, text: string): boolean {
  const [stored, sent] = [Buffer.from(hash), Buffer.from(hashOf(text))];
  return stored.length === sent.length && timingSafeEqual(stored, sent);
}

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Other values would make some characters more likely.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** Returns the CRC-32 of a string, in base 62. */
function checksumOf(text: string): string {
  let crc = -1;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = ~crc >>> 0;
  let digits = "";
  for (let at = 0; at < checksumLength; at++) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
