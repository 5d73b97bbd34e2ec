/**
 * What a schema of zod, valibot, arktype or another library says of its input's form, as far as reading it needs.
 *
 * Texts of a query, a form or a header do not tell a list of one from a single value, and JSON does not tell a bigint
 * from a number: only the schema does.
 *
 * @module
 */

import type { StandardSchema } from "./schema.ts";

/** The form of an input. */
export interface SchemaShape {
  /** True if the schema takes a list, and nothing but a list. */
  readonly isList: boolean;
  /** True if the schema takes a bigint, and no number. */
  readonly isBigint: boolean;
  /** The members by name; a schema that is not one of objects has none. */
  readonly members: ReadonlyMap<string, SchemaShape>;
  /** The items of a list, or the members of a record. */
  readonly items?: SchemaShape | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (schema: Fields, look: Look) => SchemaShape;
/** Reads a schema within another one; one that contains itself is left open. */
type Look = (schema: unknown) => SchemaShape;

const open: SchemaShape = { isList: false, isBigint: false, members: new Map() };
const bigint: SchemaShape = { ...open, isBigint: true };
const shapes = new WeakMap<object, SchemaShape>();

/**
 * Reads the form of a schema's input.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns Its form; an open one if the library is not known and does not write JSON Schema.
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

/** Reports whether a schema takes a bigint anywhere. */
export function takesBigint(shape: SchemaShape): boolean {
  return shape.isBigint || (shape.items !== undefined && takesBigint(shape.items)) ||
    [...shape.members.values()].some(takesBigint);
}

function look(read: Reader, above: ReadonlySet<unknown>): Look {
  return (schema) => {
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null || above.has(schema)) {
      return open;
    }
    // A library of another version may have other fields: what cannot be read is open, and the schema decides.
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
      // What `preprocess` takes is its own affair.
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

/** Libraries that write JSON Schema, as arktype does, say it there. */
function readByJSONSchema(schema: Fields): SchemaShape {
  const face = fieldsOf(fieldsOf(schema["~standard"])["jsonSchema"]);
  if (typeof face["input"] !== "function") return open;
  const options = { target: "draft-2020-12", libraryOptions: { fallback: describeOpen } };
  const written = fieldsOf(face["input"].call(face, options));
  return readJSONSchema(written, fieldsOf(written["$defs"]), new Set());
}

/** Tells what arktype cannot say in JSON Schema. */
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

/** A union takes a list, or a bigint, if all of its members do; the types of nothing aside. */
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

/** The members of several schemas; one that is a list in some only is left open. */
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
