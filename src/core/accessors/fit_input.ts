/**
 * Adapts input to its schema in cases that parsing alone cannot decide.
 *
 * @module
 */

import type { FormInput } from "./form_input.ts";
import type { SchemaShape } from "./input_shapes.ts";
import type { StandardSchema } from "./schema.ts";
import { shapeOf, takesBigint } from "./schema_shape.ts";

/**
 * Adapts the values of a form or a query string to the schema of each name. If the schema expects an array, a single
 * value is wrapped in one. A missing value becomes an empty array unless the array is optional, because a form omits
 * checkboxes that are not checked. An empty string is omitted if the value is optional and not text, because a form
 * submits it for a blank field.
 *
 * @param input The values by name.
 * @param shape The shape of the schema.
 * @param own The names that fw reads itself. They are omitted, unless the schema declares them or accepts any name.
 */
export function withLists(
  input: Record<string, FormInput>,
  shape: SchemaShape,
  own: readonly string[] = [],
): Record<string, FormInput> {
  const { members, items } = shape;
  for (const name of members.size === 0 ? [] : own) if (!members.has(name)) delete input[name];
  for (const [name, member] of members) {
    const value = takeValue(input, name, members);
    if (member.isList) {
      const list = listFor(member, value);
      if (list.length > 0 || member.isOptional === false) input[name] = list;
      else delete input[name];
    } else if (value === "" && member.isOptional === true && !member.isText) {
      delete input[name];
    }
  }
  if (items?.isList === true) {
    for (const [name, value] of Object.entries(input)) if (!members.has(name)) input[name] = listFor(items, value);
  }
  return input;
}

/** Returns the value of a name. If the schema spells the name with brackets, the value is moved to that spelling. */
function takeValue(
  input: Record<string, FormInput>,
  name: string,
  members: SchemaShape["members"],
): FormInput | undefined {
  const short = name.endsWith("[]") ? name.slice(0, -2) : "";
  const value = short === "" || members.has(short) ? undefined : input[short];
  if (value === undefined) return input[name];
  delete input[short];
  return input[name] = value;
}

function listFor({ items }: SchemaShape, value: FormInput | undefined): (string | File)[] {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
  // In a list of choices, the option "any" has an empty value.
  return items?.isText === false ? list.filter((item) => item !== "") : list;
}

/**
 * Returns headers under the names used in a schema, ignoring case. All other names are in lower case. If the schema
 * expects an array, the header's comma-separated items become its elements.
 */
export function headerInput(headers: Headers, { members }: SchemaShape): Record<string, FormInput> {
  // The object has no prototype, so a field named `__proto__` gets no special treatment.
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

/**
 * Adapts JSON that was parsed without loss to a schema, so that the schema accepts the same values as in a request
 * body. Bigints become numbers unless the schema expects a bigint.
 */
export function fitJSON(value: unknown, schema: StandardSchema): unknown {
  const shape = shapeOf(schema);
  return takesBigint(shape) ? withBigints(value, shape) : withNumbers(value);
}

/** Converts all bigints to numbers. Used for values that need not be exact. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "object" || typeof field === "bigint") {
      Object.defineProperty(value, name, { ...plain, value: withNumbers(field) });
    }
  }
  return value;
}

/** Converts integers to bigints for schemas that expect a bigint. */
export function withBigints(value: unknown, shape: SchemaShape): unknown {
  if (shape.isBigint) return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
  // A number can represent some integers that are not safe, such as powers of two.
  if (typeof value === "bigint" && !shape.isText && BigInt(Number(value)) === value) return Number(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const { items, members, parts } = shape;
  if (Array.isArray(value)) {
    return value.map((item, at) => {
      const part = parts?.[at] ?? items;
      return part === undefined ? item : withBigints(item, part);
    });
  }
  for (const [name, field] of Object.entries(value)) {
    const member = members.get(name) ?? (shape.isList ? undefined : items);
    if (member !== undefined) Object.defineProperty(value, name, { ...plain, value: withBigints(field, member) });
  }
  return value;
}

/** Defines the field as an own property, so that `__proto__` gets no special treatment. */
const plain = { configurable: true, enumerable: true, writable: true };
