/**
 * Detects where a schema from zod, valibot, arktype or another library expects arrays and bigints.
 *
 * Strings in a query, a form or a header do not distinguish an array with one item from a single value, and JSON does
 * not distinguish a bigint from a number. Only the schema does.
 *
 * @module
 */

import type { StandardSchema } from "./schema.ts";

/** The shape of an input. */
export interface SchemaShape {
  /** Whether the schema accepts only arrays. */
  readonly isList: boolean;
  /** Whether the schema accepts bigints and no numbers. */
  readonly isBigint: boolean;
  /** The members by name. Empty if the schema does not describe an object. */
  readonly members: ReadonlyMap<string, SchemaShape>;
  /** The shape of an array's items or a record's values. */
  readonly items?: SchemaShape | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (schema: Fields, look: Look) => SchemaShape;
/** Reads a nested schema. Recursive schemas are treated as unknown. */
type Look = (schema: unknown) => SchemaShape;

const open: SchemaShape = { isList: false, isBigint: false, members: new Map() };
const bigint: SchemaShape = { ...open, isBigint: true };
const shapes = new WeakMap<object, SchemaShape>();

/**
 * Reads the input shape of a schema.
 *
 * @param schema A schema from any library that implements Standard Schema.
 * @returns The input shape. The shape is unknown if the library is not supported and cannot generate JSON Schema.
 */
export function shapeOf(schema: StandardSchema): SchemaShape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    const vendor = schema["~standard"].vendor;
    const read = (Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined) ?? readByJSONSchema;
    shapes.set(schema, shape = look(read, new Set())(schema));
  }
  return shape;
}

/** Reports whether a schema accepts a bigint anywhere. */
export function takesBigint(shape: SchemaShape): boolean {
  return shape.isBigint || (shape.items !== undefined && takesBigint(shape.items)) ||
    [...shape.members.values()].some(takesBigint);
}

function look(read: Reader, above: ReadonlySet<unknown>): Look {
  return (schema) => {
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null || above.has(schema)) {
      return open;
    }
    // Other versions of a library may use different fields. If the shape cannot be read, it is treated as unknown and
    // the schema alone decides.
    try {
      return read(schema as Fields, look(read, new Set([...above, schema])));
    } catch {
      return open;
    }
  };
}

const vendors: Readonly<Record<string, Reader>> = { zod: readZod, valibot: readValibot };

function readZod(schema: Fields, look: Look): SchemaShape {
  const def = fieldsOf(fieldsOf(schema["_zod"] ?? schema)["def"]);
  switch (def["type"]) {
    case "object":
      return objectOf(def["shape"], look);
    case "array":
      return listOf(look(def["element"]));
    case "tuple":
    case "set":
      return listOf(open);
    case "record":
      return { ...open, items: look(def["valueType"]) };
    case "bigint":
      return def["coerce"] === true ? open : bigint;
    case "lazy":
      return look((def["getter"] as () => unknown)());
    case "pipe":
      // The input of `preprocess` is not described by the schema.
      return look(def["in"]);
    case "union":
      return oneOf(def["options"], look);
    case "intersection":
      return allOf([def["left"], def["right"]], look);
    default:
      return look(def["innerType"]);
  }
}

function readValibot(schema: Fields, look: Look): SchemaShape {
  const type = String(schema["type"]);
  if (schema["entries"] !== undefined) return objectOf(schema["entries"], look);
  if (type === "array" || type === "set") return listOf(look(schema["item"]));
  if (/(?:^|_)tuple(?:_|$)/.test(type)) return listOf(open);
  if (type === "record") return { ...open, items: look(schema["value"]) };
  if (type === "bigint") return bigint;
  if (type === "union" || type === "variant") return oneOf(schema["options"], look);
  if (type === "intersect") return allOf(arrayOf(schema["options"]), look);
  return look(schema["wrapped"]);
}

/** Reads the shape from JSON Schema, for libraries that can generate it, such as arktype. */
function readByJSONSchema(schema: Fields): SchemaShape {
  const face = fieldsOf(fieldsOf(schema["~standard"])["jsonSchema"]);
  if (typeof face["input"] !== "function") return open;
  const options = { target: "draft-2020-12", libraryOptions: { fallback: describeOpen } };
  const written = fieldsOf(face["input"].call(face, options));
  return readJSONSchema(written, fieldsOf(written["$defs"]), new Set());
}

/** Describes the types that arktype cannot express in JSON Schema. */
function describeOpen(found: { readonly base: Fields; readonly domain?: unknown }): Fields {
  return found.domain === "bigint" ? { ...found.base, "x-bigint": true } : found.base;
}

function readJSONSchema(schema: Fields, definitions: Fields, above: ReadonlySet<unknown>): SchemaShape {
  if (above.has(schema)) return open;
  const look = (inner: unknown) => readJSONSchema(fieldsOf(inner), definitions, new Set([...above, schema]));
  const reference = schema["$ref"];
  if (typeof reference === "string") return look(definitions[reference.slice("#/$defs/".length)]);
  if (schema["x-bigint"] === true) return bigint;
  const types = arrayOf(schema["type"]).filter((type) => type !== "null");
  if (types.length === 1 && types[0] === "array") return listOf(look(schema["items"]));
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (options !== undefined) return oneOf(options, look);
  if (schema["allOf"] !== undefined) return allOf(arrayOf(schema["allOf"]), look);
  const items = schema["additionalProperties"];
  return { ...objectOf(schema["properties"], look), ...typeof items === "object" ? { items: look(items) } : {} };
}

function objectOf(members: unknown, look: Look): SchemaShape {
  return { ...open, members: new Map(Object.entries(fieldsOf(members)).map(([name, member]) => [name, look(member)])) };
}

function listOf(items: SchemaShape): SchemaShape {
  return { ...open, isList: true, items };
}

/**
 * Combines the shapes of a union. The union accepts only arrays or bigints if all of its members do, ignoring null and
 * undefined.
 */
function oneOf(options: unknown, look: Look): SchemaShape {
  const shapes = arrayOf(options).filter((option) => !isNothing(fieldsOf(option))).map(look);
  return {
    isList: shapes.length > 0 && shapes.every((shape) => shape.isList),
    isBigint: shapes.length > 0 && shapes.every((shape) => shape.isBigint),
    members: membersOf(shapes, (found) => found.every((shape) => shape.isList)),
  };
}

function allOf(parts: readonly unknown[], look: Look): SchemaShape {
  const shapes = parts.map(look);
  return {
    isList: shapes.some((shape) => shape.isList),
    isBigint: shapes.some((shape) => shape.isBigint),
    members: membersOf(shapes, (found) => found.some((shape) => shape.isList)),
  };
}

/** Merges the members of several schemas. A member that is an array in only some of them is treated as unknown. */
function membersOf(
  shapes: readonly SchemaShape[],
  agree: (found: readonly SchemaShape[]) => boolean,
): Map<string, SchemaShape> {
  const names = new Set(shapes.flatMap((shape) => [...shape.members.keys()]));
  const members = new Map<string, SchemaShape>();
  for (const name of names) {
    const found = shapes.flatMap((shape) => shape.members.get(name) ?? []);
    const first = found.find((shape) => shape.isList || shape.isBigint || shape.members.size > 0) ?? open;
    members.set(name, { ...first, isList: agree(found) });
  }
  return members;
}

function isNothing(option: Fields): boolean {
  const type = option["type"] ?? fieldsOf(fieldsOf(option["_zod"])["def"])["type"];
  return type === "null" || type === "undefined" || type === "void";
}

function fieldsOf(value: unknown): Fields {
  return (typeof value === "object" || typeof value === "function") && value !== null ? value as Fields : {};
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}
