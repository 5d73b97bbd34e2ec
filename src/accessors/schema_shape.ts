/**
 * Detects the arrays, bigints and strings in schemas from zod, valibot, arktype and other libraries.
 *
 * The strings in a query, a form or a header do not distinguish an array with one item from a single value, and JSON
 * does not distinguish a bigint from a number. A form also omits an empty array and sends an empty string for an
 * omitted number. Only the schema makes the difference.
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
  /** Whether an empty string may be valid. `false` only for schemas that always reject it, such as numbers. */
  readonly isText: boolean;
  /** Whether the value may be omitted, or `undefined` if that depends on other values. */
  readonly isOptional: boolean | undefined;
  /** The members by name. Empty if the schema does not describe an object. */
  readonly members: ReadonlyMap<string, SchemaShape>;
  /** The shape of an array's items or a record's values. */
  readonly items?: SchemaShape | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (schema: Fields, look: Look) => SchemaShape;
/** Reads a nested schema. Recursive schemas are treated as unknown. */
type Look = (schema: unknown) => SchemaShape;

const open: SchemaShape = { isList: false, isBigint: false, isText: true, isOptional: false, members: new Map() };
/** A value that is never an empty string, such as a number. */
const other: SchemaShape = { ...open, isText: false };
const bigint: SchemaShape = { ...other, isBigint: true };
/** The names of types other than strings in all libraries. */
const otherTypes: ReadonlySet<unknown> = new Set(
  ["number", "integer", "int", "boolean", "date", "nan", "file", "blob"],
);
/** The names of string formats that do not allow an empty string in all libraries. */
const formats = /^(?:email|url|uri|uuid|guid|ulid|cuid2?|nanoid|ipv?[46]?|iso_.+|date|time|date-?time|duration)$/;
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
  const core = fieldsOf(schema["_zod"] ?? schema);
  const shape = readZodDef(fieldsOf(core["def"]), look);
  // "optional" or, in later versions, "defaulted".
  return core["optin"] === undefined ? shape : { ...shape, isOptional: true };
}

function readZodDef(def: Fields, look: Look): SchemaShape {
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
      return def["coerce"] === true ? other : bigint;
    case "lazy":
      return look((def["getter"] as () => unknown)());
    case "pipe":
      return pipeOf(def, look);
    case "string":
      return { ...open, isText: !hasFormat(def) };
    case "enum":
      return choiceOf(Object.values(fieldsOf(def["entries"])));
    case "literal":
      return choiceOf(arrayOf(def["values"]));
    case "union":
      return oneOf(def["options"], look);
    case "intersection":
      return allOf([def["left"], def["right"]], look);
    default:
      return otherTypes.has(def["type"]) ? other : look(def["innerType"]);
  }
}

function pipeOf(def: Fields, look: Look): SchemaShape {
  // The input of `preprocess` is not described by the schema.
  if (typeOf(fieldsOf(def["in"])) === "transform") return open;
  const input = look(def["in"]);
  // A string that is converted to a boolean, as by `stringbool`, must not be empty.
  return { ...input, isText: input.isText && look(def["out"]).isText };
}

function hasFormat(def: Fields): boolean {
  const checks = arrayOf(def["checks"]).map((check) => fieldsOf(fieldsOf(fieldsOf(check)["_zod"])["def"]));
  return [def, ...checks].some(({ format }) => formats.test(String(format ?? "")));
}

function readValibot(schema: Fields, look: Look): SchemaShape {
  const type = String(schema["type"]);
  if (/^(?:optional|nullish|undefinedable|exact_optional)$/.test(type)) {
    return { ...look(schema["wrapped"]), isOptional: true };
  }
  if (type === "picklist" || type === "enum") return choiceOf(arrayOf(schema["options"]));
  if (type === "literal") return choiceOf([schema["literal"]]);
  if (otherTypes.has(type)) return other;
  if (type === "string") {
    const isFormatted = arrayOf(schema["pipe"]).slice(1).some((step) => formats.test(String(fieldsOf(step)["type"])));
    return { ...open, isText: !isFormatted };
  }
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
  if (schema["enum"] !== undefined || schema["const"] !== undefined) {
    return choiceOf([...arrayOf(schema["enum"]), ...arrayOf(schema["const"])]);
  }
  if (types.length > 0 && types.every((type) => otherTypes.has(type))) return other;
  if (types.length === 1 && types[0] === "string") {
    return { ...open, isText: !formats.test(String(schema["format"] ?? "")) };
  }
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (options !== undefined) return oneOf(options, look);
  if (schema["allOf"] !== undefined) return allOf(arrayOf(schema["allOf"]), look);
  const items = schema["additionalProperties"];
  const object = objectOf(schema["properties"], look);
  const required = arrayOf(schema["required"]);
  const members = [...object.members].map(([name, member]) =>
    [name, { ...member, isOptional: !required.includes(name) }] as const
  );
  return { ...object, members: new Map(members), ...typeof items === "object" ? { items: look(items) } : {} };
}

function objectOf(members: unknown, look: Look): SchemaShape {
  return { ...open, members: new Map(Object.entries(fieldsOf(members)).map(([name, member]) => [name, look(member)])) };
}

function listOf(items: SchemaShape): SchemaShape {
  return { ...other, isList: true, items };
}

/** Returns the shape of an enum. */
function choiceOf(values: readonly unknown[]): SchemaShape {
  return values.includes("") ? open : other;
}

/**
 * Combines the shapes of a union. The union accepts only arrays or bigints if all of its members do, ignoring null and
 * undefined.
 */
function oneOf(options: unknown, look: Look): SchemaShape {
  const all = arrayOf(options).map((option) => fieldsOf(option));
  const shapes = all.filter((option) => !isNothing(option)).map(look);
  const isAny = shapes.length > 0;
  return {
    isList: isAny && shapes.every((shape) => shape.isList),
    isBigint: isAny && shapes.every((shape) => shape.isBigint),
    isText: shapes.some((shape) => shape.isText),
    isOptional: all.some((option) => typeOf(option) === "undefined") || shapes.some((shape) => shape.isOptional),
    items: shapes.length === 1 ? shapes[0]?.items : undefined,
    members: membersOf(shapes, (found) => ({
      isList: found.every((shape) => shape.isList),
      isText: found.some((shape) => shape.isText),
      isOptional: found.every((shape) => shape.isOptional === found[0]?.isOptional) && found.length === shapes.length
        ? found[0]?.isOptional
        : undefined,
    })),
  };
}

function allOf(parts: readonly unknown[], look: Look): SchemaShape {
  const shapes = parts.map(look);
  return {
    isList: shapes.some((shape) => shape.isList),
    isBigint: shapes.some((shape) => shape.isBigint),
    isText: shapes.every((shape) => shape.isText),
    isOptional: shapes.every((shape) => shape.isOptional === true),
    members: membersOf(shapes, (found) => ({
      isList: found.some((shape) => shape.isList),
      isText: found.every((shape) => shape.isText),
      isOptional: found.every((shape) => shape.isOptional === true),
    })),
  };
}

/** Merges the members of several schemas. A member that is an array in only some of them is treated as unknown. */
function membersOf(
  shapes: readonly SchemaShape[],
  agree: (found: readonly SchemaShape[]) => Pick<SchemaShape, "isList" | "isText" | "isOptional">,
): Map<string, SchemaShape> {
  const names = new Set(shapes.flatMap((shape) => [...shape.members.keys()]));
  const members = new Map<string, SchemaShape>();
  for (const name of names) {
    const found = shapes.flatMap((shape) => shape.members.get(name) ?? []);
    const first = found.find((shape) => shape.isList || shape.isBigint || shape.members.size > 0) ?? open;
    members.set(name, { ...first, ...agree(found) });
  }
  return members;
}

function isNothing(option: Fields): boolean {
  return /^(?:null|undefined|void)$/.test(String(typeOf(option)));
}

function typeOf(option: Fields): unknown {
  return option["type"] ?? fieldsOf(fieldsOf(option["_zod"])["def"])["type"];
}

function fieldsOf(value: unknown): Fields {
  return (typeof value === "object" || typeof value === "function") && value !== null ? value as Fields : {};
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}
