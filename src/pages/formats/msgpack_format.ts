/**
 * MessagePack serialization.
 *
 * @module
 */

import { decode } from "@std/msgpack/decode";
import { encode, type ValueType } from "@std/msgpack/encode";
import { checkedValue } from "./checked_value.ts";

/**
 * Serializes a value as MessagePack. The value is converted as for JSON, except that bytes and bigints are preserved.
 */
export function toMsgPack(value: unknown): Uint8Array<ArrayBuffer> {
  return encode(plainOf(value) ?? null);
}

/**
 * Parses a MessagePack value. A 64-bit integer becomes a number if it can be represented exactly, as in JSON, because
 * many encoders use 64 bits for small integers too.
 *
 * @throws {Error} If the bytes are not valid MessagePack.
 */
export function fromMsgPack(bytes: Uint8Array): unknown {
  return withNumbers(checkedValue(decode(bytes), "MessagePack"));
}

/** Replaces bigints with equal numbers. The depth of the value has already been checked. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "bigint" && typeof item !== "object") continue;
    // The key may be "__proto__", so the property must not be set by assignment.
    Object.defineProperty(value, key, {
      value: withNumbers(item),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return value;
}

/** Converts a value for the encoder. Values that JSON would omit become `undefined`. */
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
