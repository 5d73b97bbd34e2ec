/**
 * Reads input shapes from JSON Schema, for libraries that can generate it, such as ArkType.
 *
 * @module
 */

import {
  allOf,
  arrayOf,
  choiceOf,
  type Fields,
  fieldsOf,
  listOf,
  nullableOf,
  objectOf,
  oneOf,
  open,
  otherType,
  type SchemaShape,
  stringOf,
} from "./input_shapes.ts";

/** The keyword for types that JSON Schema cannot express. */
const typeKeyword = "x-type";

/**
 * Reads the shape from the JSON Schema of a schema. The shape is unknown if the library cannot generate JSON Schema.
 *
 * @param schema A Standard Schema.
 * @param libraryOptions The options for the schema's library. Defaults to those for ArkType.
 */
export function readByJSONSchema(schema: Fields, libraryOptions: Fields = { fallback: describeOpen }): SchemaShape {
  const face = fieldsOf(fieldsOf(schema["~standard"])["jsonSchema"]);
  if (typeof face["input"] !== "function") return open;
  const written = fieldsOf(face["input"].call(face, { target: "draft-2020-12", libraryOptions }));
  return readJSONSchema(written, fieldsOf(written["$defs"]), new Set());
}

/** Describes the types that ArkType cannot express in JSON Schema. */
function describeOpen(
  { base, code, domain }: { readonly base: Fields; readonly code?: unknown; readonly domain?: unknown },
): Fields {
  const type = code === "date" ? "date" : domain === "bigint" ? "bigint" : undefined;
  return type === undefined ? base : { ...base, [typeKeyword]: type };
}

function readJSONSchema(schema: Fields, definitions: Fields, above: ReadonlySet<unknown>): SchemaShape {
  if (above.has(schema)) return open;
  const look = (inner: unknown) => readJSONSchema(fieldsOf(inner), definitions, new Set([...above, schema]));
  const reference = schema["$ref"];
  if (typeof reference === "string") return look(definitions[reference.slice("#/$defs/".length)]);
  const special = otherType(schema[typeKeyword]);
  if (special !== undefined) return special;
  if (schema["enum"] !== undefined || schema["const"] !== undefined) {
    return choiceOf([...arrayOf(schema["enum"]), ...arrayOf(schema["const"])]);
  }
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (options !== undefined) return oneOf(options, look);
  if (schema["allOf"] !== undefined) return allOf(arrayOf(schema["allOf"]), look);
  const types = arrayOf(schema["type"]);
  const named = types.filter((type) => type !== "null");
  if (types.length > 0 && named.length === 0) return otherType("null") ?? open;
  const shape = named.length > 1
    ? oneOf(named.map((type) => ({ ...schema, type })), look)
    : readType(schema, named[0], look);
  return types.length > named.length ? nullableOf(shape) : shape;
}

function readType(schema: Fields, type: unknown, look: (inner: unknown) => SchemaShape): SchemaShape {
  if (type === "array") {
    const parts = schema["prefixItems"];
    return listOf(look(schema["items"]), parts === undefined ? undefined : arrayOf(parts).map(look));
  }
  if (type === "string") return stringOf([schema["format"]]);
  return otherType(type) ?? readObject(schema, type, look);
}

function readObject(schema: Fields, type: unknown, look: (inner: unknown) => SchemaShape): SchemaShape {
  const { properties, additionalProperties: items } = schema;
  if (type !== "object" && properties === undefined && items === undefined) return open;
  const object = objectOf(properties, look);
  const required = arrayOf(schema["required"]);
  const members = [...object.members].map(([name, member]) =>
    [name, { ...member, isOptional: !required.includes(name) }] as const
  );
  return { ...object, members: new Map(members), ...typeof items === "object" ? { items: look(items) } : {} };
}
