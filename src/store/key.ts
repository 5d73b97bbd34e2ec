/**
 * Limits the length of store keys, regardless of client input.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** The maximum length of a key that is stored as is. */
const longest = 160;

/**
 * Limits the length of a key. Otherwise, a client that can choose keys, for example with a header of 8 KB, could
 * control how much memory a store uses.
 *
 * @param key The key.
 * @returns The key itself, or a digest of it.
 */
export function boundedKey(key: string): string {
  if (key.length <= longest) return key;
  return `sha256:${createHash("sha256").update(key.toWellFormed()).digest("base64url")}`;
}

/**
 * Copies a string. A substring of a header would keep the whole header in memory.
 *
 * @param text The string.
 * @returns A copy with its own memory.
 */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
