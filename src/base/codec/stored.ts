/**
 * The JSON in which fw stores values for itself: job data, session values and other state that only fw reads. A value
 * is restored as the same kind, or is refused when it is stored. `objectKinds` lists the kinds that JSON lacks.
 *
 * An object with a single member whose name starts with a dollar sign is a tag, such as `{"$bigint":"5"}`. An object of
 * the application with that form is nested one level deeper: `{"$":{"$bigint":"5"}}`.
 *
 * @module
 */

import { parseLossless } from "../text/lossless_json.ts";
import { objectKinds, readers } from "./kinds.ts";
import type { Entrance } from "./refusal.ts";
import { type Notation, Walk } from "./walk.ts";

/** Every tag and every object that looks like one contains this text. */
const tagStart = '{"$';

const notation: Notation = {
  number: (value) => ({ $number: Object.is(value, -0) ? "-0" : String(value) }),
  bigint: (value) => ({ $bigint: String(value) }),
  missing: () => ({ $undefined: 0 }),
  instance(value, walk) {
    const kind = objectKinds.find(({ test }) => test(value)) ?? walk.refuse(value);
    return { [kind.tag]: walk.value(kind.write(value as never)) };
  },
  members: (value, only) => only?.startsWith("$") ? { $: value } : value,
  inspect(value, walk) {
    if (Object.getOwnPropertySymbols(value).length > 0) walk.refuse(value, "has a property whose name is a symbol");
    if (!Array.isArray(value)) return;
    const keys = Object.keys(value).length;
    if (keys !== value.length) walk.refuse(value, `is an array with ${keys < value.length ? "holes" : "properties"}`);
  },
  usesToJSON: false,
};

/**
 * Serializes a value.
 *
 * @param value The value.
 * @param entrance The place where the value enters, for the error message.
 * @throws {FrameworkError} If a part of the value cannot be restored.
 */
export function encodeStored(value: unknown, entrance: Entrance): string {
  return JSON.stringify(new Walk(notation, entrance).value(value));
}

/**
 * Restores a value. Each call returns a new value. The text must come from a store of fw: a client that could choose it
 * could choose regular expressions, for example.
 */
export function decodeStored(text: string): unknown {
  if (isDigit(text.charCodeAt(0))) {
    // Converting a number takes a fraction of the time of `JSON.parse`, which rejects other spellings such as `0x10`.
    const number = Number(text);
    if (String(number) === text) return number;
  }
  const value: unknown = JSON.parse(text);
  return text.includes(tagStart) ? restored(value) : value;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Marks JSON with tags. Version 0.2 stored job data without tags, and an application may have used their names. */
const mark = '{"$fw":';

/** Serializes a value for a store that may also contain untagged JSON. */
export function encodeMarked(value: unknown, entrance: Entrance): string {
  const text = encodeStored(value, entrance);
  return text.includes(tagStart) ? `${mark}${text}}` : text;
}

/** Restores a value that {@linkcode encodeMarked} has serialized, or untagged JSON. */
export function decodeMarked(text: string): unknown {
  return isMarked(text) ? decodeStored(text.slice(mark.length, -1)) : parseLossless(text);
}

/** Reports whether a string has tags, so that the kinds of its values are known. */
export function isMarked(text: string): boolean {
  return text.startsWith(mark);
}

function restored(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(restored);
  const [name, another] = Object.keys(value);
  if (name === undefined || another !== undefined || !name.startsWith("$")) return restoredMembers(value);
  const content = (value as Record<string, unknown>)[name];
  if (name === "$") return restoredMembers(content as object);
  const read = readers.get(name);
  if (read === undefined) {
    throw new TypeError(`Cannot read a stored value: a newer version of fw has written "${name}"`);
  }
  return read(restored(content) as never);
}

function restoredMembers(value: object): object {
  const members = value as Record<string, unknown>;
  // JSON.parse has created all members as own properties, so this cannot set the prototype.
  for (const name of Object.keys(members)) members[name] = restored(members[name]);
  return members;
}
