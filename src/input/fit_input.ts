/**
 * Brings what was read into the form that a schema takes, where reading alone cannot tell it.
 *
 * @module
 */

import type { FormInput } from "./form_input.ts";
import type { SchemaShape } from "./schema_shape.ts";

/** Makes a list of a single value for each name whose schema takes a list. */
export function withLists(input: Record<string, FormInput>, { members }: SchemaShape): Record<string, FormInput> {
  for (const [name, member] of members) {
    const value = input[name];
    if (member.isList && value !== undefined && !Array.isArray(value)) input[name] = [value];
  }
  return input;
}

/**
 * Lists headers by the names that a schema gives them, whatever their case; the others are in small letters. Where the
 * schema takes a list, the commas of a header separate its items.
 */
export function headerInput(headers: Headers, { members }: SchemaShape): Record<string, FormInput> {
  // Without a prototype, so that a name like `__proto__` is only a name.
  const input: Record<string, FormInput> = Object.create(null);
  for (const [name, value] of headers) input[name] = value;
  for (const [name, member] of members) {
    const small = name.toLowerCase();
    const value = headers.get(small);
    if (value === null) continue;
    if (name !== small && !members.has(small)) delete input[small];
    input[name] = member.isList ? value.split(",").map((item) => item.trim()) : value;
  }
  return input;
}

/** Makes a bigint of each whole number whose schema takes one. */
export function withBigints(value: unknown, shape: SchemaShape): unknown {
  if (shape.isBigint) return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const { items, members } = shape;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withBigints(item, items));
  for (const [name, field] of Object.entries(value)) {
    const member = members.get(name) ?? (shape.isList ? undefined : items);
    if (member !== undefined) Object.defineProperty(value, name, { ...plain, value: withBigints(field, member) });
  }
  return value;
}

/** Set as a property of its own, so that a field named `__proto__` is only a field. */
const plain = { configurable: true, enumerable: true, writable: true };
