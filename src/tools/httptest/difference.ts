/**
 * Describes the differences between the actual and the expected response in short messages.
 *
 * @module
 */

import { isJSONObject } from "../../base/data/plain_object.ts";

/**
 * The maximum length of values shown in full. For longer values, only the text around the first difference is shown.
 */
const longest = 200;
const around = 60;
const mostPlaces = 5;

/**
 * Compares two values.
 *
 * @param what The name of the value, for the message.
 * @returns A description of the difference, or `undefined` if the values are equal.
 */
export function differ(what: string, actual: unknown, expected: unknown): string | undefined {
  if (actual === expected) return undefined;
  if (!isLong(actual) && !isLong(expected)) return `${what} is ${show(actual)}, expected ${show(expected)}`;
  const [was, wanted] = [String(actual), String(expected)];
  const at = commonLength(was, wanted);
  return `${what} differs at character ${at + 1}: got ${passage(was, at)}, expected ${passage(wanted, at)}`;
}

/**
 * Checks that a body contains a substring.
 *
 * @returns A description of the closest match, or `undefined` if the body contains the substring.
 */
export function lacks(text: string, part: string): string | undefined {
  if (text.includes(part)) return undefined;
  if (!isLong(text)) return `body ${show(text)} does not contain ${show(part)}`;
  const length = longestPrefix(text, part);
  const start = length === 0 ? 0 : text.indexOf(part.slice(0, length));
  const near = cut(text, start, start + Math.max(part.length, length) + around);
  const nearest = length < 3 ? `it has ${text.length} characters and starts with` : "the closest match is";
  return `body does not contain ${show(part)}: ${nearest} ${near}`;
}

/**
 * Reports that a body contains a string.
 *
 * @param text The body.
 * @param part The substring that must be absent.
 * @returns The message with the text around the first occurrence, or `undefined` if the string is absent.
 */
export function holds(text: string, part: string): string | undefined {
  const start = text.indexOf(part);
  if (start < 0) return undefined;
  return isLong(text)
    ? `body contains ${show(part)}: ${cut(text, Math.max(0, start - around), start + part.length + around)}`
    : `body ${show(text)} contains ${show(part)}`;
}

/**
 * Compares a body with a value as JSON. The order of the keys does not matter.
 *
 * @returns A description of the differences, or `undefined` if the values are equal.
 */
export function differAsJSON(text: string, expected: unknown): string | undefined {
  let actual: unknown;
  try {
    actual = JSON.parse(text);
  } catch {
    return `body ${isLong(text) ? cut(text, 0, longest) : show(text)} is not valid JSON`;
  }
  const texts = [canonical(actual), canonical(expected ?? null)] as const;
  if (texts[0] === texts[1]) return undefined;
  if (!texts.some(isLong)) return differ("JSON", ...texts);
  const places = differences(actual, JSON.parse(texts[1]), "");
  const shown = places.slice(0, mostPlaces).map(([path, was, wanted]) =>
    `JSON at "${path}" is ${short(was)}, expected ${short(wanted)}`
  );
  const rest = places.length > mostPlaces ? [`${places.length - mostPlaces} more differences`] : [];
  return [...shown, ...rest].join("; ");
}

type Difference = readonly [pointer: string, actual: string, expected: string];

/** Returns the innermost differences between two values, with their JSON pointers. */
function differences(actual: unknown, expected: unknown, pointer: string): Difference[] {
  if (canonical(actual) === canonical(expected)) return [];
  if (!isNested(actual) || !isNested(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return [[pointer, canonical(actual), canonical(expected)]];
  }
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...names].flatMap((name) => {
    const path = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return differences(actual[name], expected[name], path);
  });
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Serializes a value as JSON with sorted keys, so that equal values have equal JSON. */
function canonical(value: unknown): string {
  if (value === undefined) return "absent";
  return JSON.stringify(value, (_name, part) => isJSONObject(part) ? sorted(part) : part) ?? "null";
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1));
}

function short(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function isLong(value: unknown): boolean {
  return typeof value === "string" && value.length > longest;
}

/** Returns the length of the longest prefix of `part` that occurs in the text. */
function longestPrefix(text: string, part: string): number {
  let [low, high] = [0, part.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (text.includes(part.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function commonLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function passage(text: string, at: number): string {
  return cut(text, at - around / 2, at + around);
}

function cut(text: string, from: number, to: number): string {
  const start = Math.max(0, from);
  return `${start > 0 ? "…" : ""}${show(text.slice(start, to))}${to < text.length ? "…" : ""}`;
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
