/**
 * JSON serialization: compact, with bigints as numbers, `Map` as an object, and `Set` and iterators as arrays.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { FrameworkError } from "../errors/errors.ts";

/**
 * Serializes a value as JSON.
 *
 * @param indent The indentation per level. If empty, the output is compact.
 * @returns The JSON. Values without a JSON representation, such as `undefined`, become `null`.
 */
export function toJSON(value: unknown, indent = ""): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (indent !== "" || holdsBigint(value)) return withReplacer(value, indent);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // A replacer makes every call about five times slower, so it is used only after `JSON.stringify` has thrown because
    // of a bigint. If the error was caused by a circular reference, the second call throws again.
    if (!(error instanceof TypeError)) throw error;
    return withReplacer(value, indent);
  }
  if (text === undefined) return "null";
  // `JSON.stringify` writes maps, sets and iterators as empty objects, which are otherwise rare. Searching the output
  // for them has no measurable cost, while searching the value would cost a third of the serialization.
  return text.includes("{}") ? withReplacer(value, indent) : text;
}

/** Reports whether `JSON.stringify` writes a non-empty value as `{}`, as it does for maps, sets and iterators. */
export function isCollection(value: unknown): value is Map<unknown, unknown> | Iterable<unknown> {
  return value instanceof Map || value instanceof Set || (typeof Iterator === "function" && value instanceof Iterator);
}

/**
 * Reports whether the value or one of its own properties is a bigint. This finds most bigints without the exception
 * that `JSON.stringify` would throw, which costs 5 µs.
 */
function holdsBigint(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return typeof value === "bigint";
  for (const name in value) {
    if (typeof (value as Record<string, unknown>)[name] === "bigint") return true;
  }
  return false;
}

function withReplacer(value: unknown, indent: string): string {
  if (rawJSON !== undefined) return JSON.stringify(value, replaced, indent) ?? "null";
  // The marker is random, so that no user string can be mistaken for a bigint.
  const mark = `bigint:${Math.random()}:`;
  const marked = (_key: string, each: unknown) => typeof each === "bigint" ? mark + each : plainCollection(each);
  const text = JSON.stringify(value, marked, indent) ?? "null";
  return text.replaceAll(new RegExp(`"${mark.replaceAll(".", "\\.")}(-?\\d+)"`, "g"), "$1");
}

function replaced(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON?.(value.toString()) : plainCollection(value);
}

/**
 * Converts a map to an object, and a set or an iterator to an array.
 *
 * @returns The converted collection, or the value itself if it is not a collection.
 */
export function plainCollection(value: unknown): unknown {
  if (typeof value !== "object" || !isCollection(value)) return value;
  if (!(value instanceof Map)) return Array.from(value);
  return Object.fromEntries(Array.from(value, ([key, held]) => [keyOf(key), held]));
}

function keyOf(key: unknown): string {
  if ((typeof key === "object" && key !== null) || typeof key === "symbol" || typeof key === "function") {
    throw new TypeError("Cannot serialize a Map: its keys must be strings or numbers");
  }
  return String(key);
}

// TypeScript's library does not declare `JSON.rawJSON` yet. V8 supports it since version 11.4, and Node.js since
// version 21.
const rawJSON = (JSON as unknown as { rawJSON?: (text: string) => unknown }).rawJSON?.bind(JSON);

/**
 * Throws if a value is a promise, or an object or array that directly contains one. A promise would be serialized as an
 * empty object, usually because of a missing `await`.
 *
 * @param value The value to serialize.
 * @param format The name of the format, for the error message.
 */
export function assertSettled(value: unknown, format: string): void {
  if (isThenable(value)) throw pendingError(format, "the value");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item instanceof Promise) throw pendingError(format, Array.isArray(value) ? "an array item" : `"${name}"`);
  }
}

/** Creates the error for a promise in a value. */
export function pendingError(format: string, what: string): FrameworkError {
  return new FrameworkError(
    "FW_STATE",
    `Cannot serialize ${format}: ${what} is a promise, probably because of a missing await`,
  );
}
