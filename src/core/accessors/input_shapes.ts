/**
 * Builds and combines input shapes. The readers of all schema libraries share these functions.
 *
 * @module
 */

import type { TextKind } from "./text_kinds.ts";

/** The shape of an input. */
export interface SchemaShape {
  /** Whether the schema accepts only arrays. */
  readonly isList: boolean;
  /** Whether the schema accepts a `Set` in place of an array. */
  readonly isSet?: boolean | undefined;
  /** Whether the schema accepts bigints and no numbers. */
  readonly isBigint: boolean;
  /** Whether an empty string may be valid. `false` only for schemas that always reject it, such as numbers. */
  readonly isText: boolean;
  /** Whether the value may be omitted, or `undefined` if that depends on other values. */
  readonly isOptional: boolean | undefined;
  /** The types of the accepted values, except for arrays and `choices`. */
  readonly kinds: ReadonlySet<TextKind>;
  /** The accepted values of enums and literals. */
  readonly choices?: ReadonlySet<unknown> | undefined;
  /** Whether all accepted values are in `choices`. */
  readonly isChoice?: boolean | undefined;
  /** The members by name. Empty if the schema does not describe an object. */
  readonly members: ReadonlyMap<string, SchemaShape>;
  /** The shape of an array's items or a record's values. In a tuple, the shape of the items after `parts`. */
  readonly items?: SchemaShape | undefined;
  /** The shapes of a tuple's items. */
  readonly parts?: readonly SchemaShape[] | undefined;
  /** The alternatives of a union of objects. */
  readonly options?: readonly SchemaShape[] | undefined;
}

/** The fields of a schema. */
export type Fields = Readonly<Record<string, unknown>>;
/** Reads a nested schema. Recursive schemas are treated as unknown. */
export type Look = (schema: unknown) => SchemaShape;
/** Reads the shape of a schema. */
export type Reader = (schema: Fields, look: Look) => SchemaShape;

/** A value that is not known, or a string. */
export const open: SchemaShape = {
  isList: false,
  isBigint: false,
  isText: true,
  isOptional: false,
  kinds: new Set(["string"]),
  members: new Map(),
};
/** A value that is never an empty string and is not converted, such as a file. */
const other: SchemaShape = { ...open, isText: false, kinds: new Set() };
/** `null`, `undefined` and their kin. */
const nothing: SchemaShape = { ...other, kinds: new Set(["null"]) };

/** The shapes of types other than strings, by their names in all libraries. */
const otherTypes: Readonly<Record<string, SchemaShape>> = {
  number: { ...other, kinds: new Set(["number"]) },
  integer: { ...other, kinds: new Set(["number"]) },
  int: { ...other, kinds: new Set(["number"]) },
  bigint: { ...other, kinds: new Set(["bigint"]), isBigint: true },
  boolean: { ...other, kinds: new Set(["boolean"]) },
  date: { ...other, kinds: new Set(["date"]) },
  nan: other,
  file: other,
  blob: other,
  null: nothing,
};

/** Returns the shape of a type other than a string, an array or an object. */
export function otherType(name: unknown): SchemaShape | undefined {
  return typeof name === "string" && Object.hasOwn(otherTypes, name) ? otherTypes[name] : undefined;
}

/** The names of string formats that do not allow an empty string in all libraries. */
const formats = /^(?:email|url|uri|uuid|guid|ulid|cuid2?|nanoid|ipv?[46]?|iso_.+|date|time|date-?time|duration)$/;

/** Returns the shape of a string with any of these formats. */
export function stringOf(names: readonly unknown[]): SchemaShape {
  return { ...open, isText: !names.some((name) => formats.test(String(name ?? ""))) };
}

/** Returns the shape of an object. */
export function objectOf(members: unknown, look: Look): SchemaShape {
  const entries = Object.entries(fieldsOf(members)).map(([name, member]) => [name, look(member)] as const);
  return { ...open, kinds: new Set(["object"]), members: new Map(entries) };
}

/** Returns the shape of an object with arbitrary names. */
export function recordOf(items: SchemaShape): SchemaShape {
  return { ...open, kinds: new Set(["object"]), items };
}

/** Returns the shape of an array, or of a tuple if its first items have their own shapes. */
export function listOf(items: SchemaShape, parts?: readonly SchemaShape[]): SchemaShape {
  return { ...other, isList: true, items, parts };
}

/** Returns the shape of an enum. */
export function choiceOf(values: readonly unknown[]): SchemaShape {
  const kinds = new Set(values.map(kindOf).filter((kind) => kind !== undefined));
  const shape = values.includes("") ? { ...open, kinds } : { ...other, kinds };
  return { ...shape, choices: new Set(values), isChoice: true };
}

/** Returns the type to which a string is converted for a literal. */
function kindOf(value: unknown): TextKind | undefined {
  if (value === null) return "null";
  const type = typeof value;
  return type === "number" || type === "bigint" || type === "boolean" ? type : undefined;
}

/** Returns the shape of a value that may also be null. */
export function nullableOf(shape: SchemaShape): SchemaShape {
  return { ...shape, kinds: new Set([...shape.kinds, "null"]), isChoice: false };
}

/**
 * Combines the shapes of a union. The union accepts only arrays or bigints if all of its members do, ignoring null and
 * undefined.
 */
export function oneOf(options: unknown, look: Look): SchemaShape {
  const all = arrayOf(options).map((option) => fieldsOf(option));
  const isOptional = all.some((option) => typeOf(option) === "undefined");
  const shapes = all.filter((option) => !isNothing(option)).map(look);
  const shape = anyOf(shapes);
  const found = all.some(isNull) ? nullableOf(shape) : shape;
  return { ...found, isOptional: isOptional || shapes.some((shape) => shape.isOptional) };
}

function anyOf(shapes: readonly SchemaShape[]): SchemaShape {
  if (shapes.length === 1 && shapes[0] !== undefined) return shapes[0];
  const isAny = shapes.length > 0;
  const lists = shapes.filter(({ items, parts }) => items !== undefined || parts !== undefined);
  const objects = shapes.filter(({ members }) => members.size > 0);
  return {
    isList: isAny && shapes.every((shape) => shape.isList),
    isSet: isAny && shapes.every((shape) => shape.isSet === true),
    isBigint: isAny && shapes.every((shape) => shape.isBigint),
    isText: shapes.some((shape) => shape.isText),
    isOptional: shapes.some((shape) => shape.isOptional),
    kinds: new Set(shapes.flatMap(({ kinds }) => [...kinds])),
    choices: new Set(shapes.flatMap(({ choices }) => [...choices ?? []])),
    isChoice: isAny && shapes.every((shape) => shape.isChoice === true),
    items: lists.length === 1 ? lists[0]?.items : undefined,
    parts: lists.length === 1 ? lists[0]?.parts : undefined,
    options: objects.length > 1 && objects.length === shapes.length ? objects : undefined,
    members: membersOf(shapes, (found) => {
      const isSame = found.every((shape) => shape.isOptional === found[0]?.isOptional);
      return {
        ...anyOf(found),
        isOptional: isSame && found.length === shapes.length ? found[0]?.isOptional : undefined,
      };
    }),
  };
}

/** Combines the shapes of an intersection. */
export function allOf(parts: readonly unknown[], look: Look): SchemaShape {
  return everyOf(parts.map(look));
}

function everyOf(shapes: readonly SchemaShape[]): SchemaShape {
  if (shapes.length === 1 && shapes[0] !== undefined) return shapes[0];
  // A part that accepts every string, such as a description, does not restrict the others.
  const strict = shapes.find(({ kinds }) => !kinds.has("string")) ?? shapes[0] ?? open;
  return {
    ...strict,
    isList: shapes.some((shape) => shape.isList),
    isBigint: shapes.some((shape) => shape.isBigint),
    isText: shapes.every((shape) => shape.isText),
    isOptional: shapes.every((shape) => shape.isOptional === true),
    items: shapes.find(({ items }) => items !== undefined)?.items,
    options: undefined,
    members: membersOf(shapes, everyOf),
  };
}

/** Merges the members of several schemas. */
function membersOf(
  shapes: readonly SchemaShape[],
  merge: (found: readonly SchemaShape[]) => SchemaShape,
): Map<string, SchemaShape> {
  const names = new Set(shapes.flatMap((shape) => [...shape.members.keys()]));
  return new Map([...names].map((name) => [name, merge(shapes.flatMap((shape) => shape.members.get(name) ?? []))]));
}

function isNothing(option: Fields): boolean {
  return isNull(option) || /^(?:undefined|void)$/.test(String(typeOf(option)));
}

function isNull(option: Fields): boolean {
  return typeOf(option) === "null";
}

/** Returns the type of a schema from zod, valibot or JSON Schema. */
export function typeOf(option: Fields): unknown {
  return option["type"] ?? fieldsOf(fieldsOf(option["_zod"])["def"])["type"];
}

/** Returns a value as an object. The object is empty if the value is a primitive. */
export function fieldsOf(value: unknown): Fields {
  return (typeof value === "object" || typeof value === "function") && value !== null ? value as Fields : {};
}

/** Returns a value as an array. The array is empty if the value is `undefined`. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}
