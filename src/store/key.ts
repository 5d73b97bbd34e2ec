/**
 * Keys as stores keep them: short, whatever clients send.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** The longest key that is kept as it is. */
const longest = 160;

/**
 * Bounds a key. A client that chooses keys, say by a header of 8 KB, would otherwise choose how much memory a store
 * takes.
 *
 * @param key The key.
 * @returns The key itself, or a digest of it.
 */
export function boundedKey(key: string): string {
  if (key.length <= longest) return key;
  return `sha256:${createHash("sha256").update(key.toWellFormed()).digest("base64url")}`;
}

/**
 * Copies a text: one that was cut out of a header keeps the whole header in memory for as long as it is kept itself.
 *
 * @param text The text.
 * @returns The same text, with memory of its own.
 */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
