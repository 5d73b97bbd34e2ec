/**
 * Converts the strings of an input to the types in its schema.
 *
 * @module
 */

import type { SchemaShape } from "./input_shapes.ts";
import { readText, type TextPlace } from "./text_kinds.ts";

/** Whether the items or members of a shape are converted. Computed once for each schema. */
const conversions = new WeakMap<SchemaShape, boolean>();

/**
 * Converts the strings of an input to the types in its schema, for example `"3"` to `3` if the schema expects a number.
 * A string that cannot be converted without loss stays unchanged, so that the schema rejects it. The input itself is
 * not modified, because a form shows its strings again.
 *
 * @param input The strings by name.
 * @param shape The shape of the schema.
 * @param place The part of the request that the input comes from.
 * @returns The typed input.
 */
export function typedInput(input: unknown, shape: SchemaShape, place: TextPlace): unknown {
  if (shape.isList && !Array.isArray(input)) return input === undefined ? input : typedInput([input], shape, place);
  if (typeof input === "string") {
    const isKept = !isConverted(shape) || shape.choices?.has(input) === true;
    return isKept ? input : readText(input, shape.kinds, place);
  }
  if (!hasConverted(shape)) return input;
  if (Array.isArray(input)) return typedList(input, shape, place);
  // Files stay as they are.
  if (typeof input !== "object" || input === null || input instanceof Blob) return input;
  // The object has no prototype, so a field named `__proto__` gets no special treatment.
  const typed: Record<string, unknown> = Object.create(null);
  const { members, items } = optionFor(input, shape, place);
  for (const [name, value] of Object.entries(input)) {
    const member = members.get(name) ?? items;
    typed[name] = member === undefined ? value : typedInput(value, member, place);
  }
  return typed;
}

function typedList(input: readonly unknown[], shape: SchemaShape, place: TextPlace): unknown {
  const { items, parts, isSet } = shape;
  const typed = input.map((item, at) => {
    const part = parts?.[at] ?? items;
    return part === undefined ? item : typedInput(item, part, place);
  });
  return isSet === true ? new Set(typed) : typed;
}

/**
 * Returns the alternative of a union that an object is meant for, as shown by its literals, or the union itself if
 * there are several.
 */
function optionFor(input: object, shape: SchemaShape, place: TextPlace): SchemaShape {
  const fitting = shape.options?.filter(({ members }) =>
    [...members].every(([name, member]) => {
      const value = (input as Record<string, unknown>)[name];
      return member.isChoice !== true || (value === undefined && member.isOptional !== false) ||
        member.choices?.has(typedInput(value, member, place)) === true;
    })
  );
  return fitting?.length === 1 && fitting[0] !== undefined ? fitting[0] : shape;
}

/** Reports whether a string may become another value. */
function isConverted({ kinds }: SchemaShape): boolean {
  return kinds.size > 0 && !kinds.has("string");
}

function hasConverted(shape: SchemaShape): boolean {
  let isFound = conversions.get(shape);
  if (isFound === undefined) {
    const { members, items, parts = [], options = [], isSet } = shape;
    const inner = [...members.values(), ...items === undefined ? [] : [items], ...parts];
    isFound = isSet === true || options.some(hasConverted) ||
      inner.some((each) => each.isList || isConverted(each) || hasConverted(each));
    conversions.set(shape, isFound);
  }
  return isFound;
}
