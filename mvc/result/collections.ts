/**
 * Maps, sets and iterators as JSON and XML can write them.
 *
 * @module
 */

/** Reports whether JSON writes what the value holds; maps, sets and iterators would be `{}`. */
export function isPlainValue(value: unknown): boolean {
  if (!(value instanceof Map || value instanceof Set || value instanceof Iterator)) return true;
  return "toJSON" in value && typeof value.toJSON === "function";
}

/**
 * Turns a map into an object and a set or an iterator into an array, and so what these hold.
 *
 * @param value Any value.
 * @returns The value itself if it is none of these.
 */
export function toPlain(value: unknown): unknown {
  if (isPlainValue(value)) return value;
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, of]) => [keyOf(key), toPlain(of)]));
  return Array.from(value as Iterable<unknown>, toPlain);
}

function keyOf(key: unknown): string {
  if (typeof key === "object" || typeof key === "symbol" || typeof key === "function") {
    throw new TypeError("Cannot name a property after a key of a Map: it is not a text or a number");
  }
  return String(key);
}
