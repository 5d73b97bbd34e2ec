/**
 * MessagePack.
 *
 * @module
 */

import { decode } from "@std/msgpack/decode";
import { encode, type ValueType } from "@std/msgpack/encode";
import { checkedValue } from "./checked_value.ts";

/** Writes a value as MessagePack: what JSON would write of it, with bytes and big integers as they are. */
export function toMsgPack(value: unknown): Uint8Array<ArrayBuffer> {
  return encode(plainOf(value) ?? null);
}

/**
 * Reads one value.
 *
 * @throws {Error} If the bytes are not MessagePack.
 */
export function fromMsgPack(bytes: Uint8Array): unknown {
  return checkedValue(decode(bytes), "MessagePack");
}

/** What the encoder takes: `undefined` for what JSON leaves out. */
function plainOf(value: unknown): ValueType | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") {
    return value;
  }
  if (typeof value === "number") return value;
  if (typeof value !== "object") return undefined;
  if (value instanceof Uint8Array) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return plainOf(value.toJSON());
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, (item) => plainOf(item) ?? null);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const plain = entries.map(([key, field]) => [String(key), plainOf(field)] as const);
  return Object.fromEntries(plain.filter(([, field]) => field !== undefined)) as Record<string, ValueType>;
}
