/**
 * JSON as fw writes it: compact, a bigint is a number, a `Map` an object, and a `Set` or an iterator an array.
 *
 * @module
 */

/**
 * Writes a value as JSON.
 *
 * @param indent The indentation of one level; the text is compact if it is empty.
 * @returns The text; a value that JSON does not know, such as `undefined`, is `null`.
 */
export function toJSON(value: unknown, indent = ""): string {
  if (indent !== "" || holdsBigint(value)) return withReplacer(value, indent);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // A replacer makes every call about five times as slow, so it is used only if the platform gave up: on a bigint,
    // or on a circular reference, which it gives up on again.
    if (!(error instanceof TypeError)) throw error;
    return withReplacer(value, indent);
  }
  if (text === undefined) return "null";
  // The platform writes maps, sets and iterators as empty objects, which are rare otherwise. Looking for them in the
  // text costs nothing that can be measured; looking for them in the value costs a third of writing it.
  return text.includes("{}") ? withReplacer(value, indent) : text;
}

/** Reports whether the platform writes a value as `{}` although it holds something: maps, sets and iterators. */
export function isCollection(value: unknown): value is Map<unknown, unknown> | Iterable<unknown> {
  return value instanceof Map || value instanceof Set || (typeof Iterator === "function" && value instanceof Iterator);
}

/**
 * Looks for a bigint among the direct properties, where most are: an exception that reports it costs 5 µs.
 *
 * @returns True if the value is a bigint, or a direct property of it is one.
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
  // A string cannot be mistaken for a bigint: the mark is not known before.
  const mark = `bigint:${Math.random()}:`;
  const marked = (_key: string, each: unknown) => typeof each === "bigint" ? mark + each : plainCollection(each);
  const text = JSON.stringify(value, marked, indent) ?? "null";
  return text.replaceAll(new RegExp(`"${mark.replaceAll(".", "\\.")}(-?\\d+)"`, "g"), "$1");
}

function replaced(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON?.(value.toString()) : plainCollection(value);
}

/**
 * Turns a map into an object and a set or an iterator into an array.
 *
 * @returns The value itself if it is none of these.
 */
export function plainCollection(value: unknown): unknown {
  if (typeof value !== "object" || !isCollection(value)) return value;
  if (!(value instanceof Map)) return Array.from(value);
  return Object.fromEntries(Array.from(value, ([key, held]) => [keyOf(key), held]));
}

function keyOf(key: unknown): string {
  if ((typeof key === "object" && key !== null) || typeof key === "symbol" || typeof key === "function") {
    throw new TypeError("Cannot name a property after a key of a Map: it is not a string or a number");
  }
  return String(key);
}

// TypeScript's library does not list JSON.rawJSON yet; V8 has had it since 11.4, and Node.js since 21.
const rawJSON = (JSON as unknown as { rawJSON?: (text: string) => unknown }).rawJSON?.bind(JSON);
