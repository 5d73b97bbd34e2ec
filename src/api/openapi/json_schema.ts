/**
 * Converts schemas to JSON Schema through their libraries.
 *
 * @module
 */

import { messageOf } from "../../base/errors/to_error.ts";
import { checkNow, type StandardSchema } from "../../core/accessors/schema.ts";
import { libraryOptions } from "./schema_libraries.ts";

/** A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export type JSONSchema = Record<string, unknown>;

/**
 * The side of a schema. `"input"` describes the values that clients send, and `"output"` describes the values after
 * parsing.
 */
export type Side = "input" | "output";

/** Converts a schema to JSON Schema. Returns `undefined` to leave the schema to its library. */
export type SchemaConverter = (schema: unknown, side: Side) => JSONSchema | undefined;

/** A converted schema, or an empty schema and the reason why it could not be converted. */
export interface WrittenSchema {
  readonly schema: JSONSchema;
  readonly failure?: string;
}

/** The optional Standard JSON Schema interface of a schema. */
type JSONSchemaFace = Partial<Record<Side, (options: { target: string; libraryOptions?: unknown }) => JSONSchema>>;

const target = "draft-2020-12";

/**
 * Converts a schema to JSON Schema. Never throws. Types that the library cannot express become an empty schema.
 *
 * @param schema A Standard Schema whose library supports JSON Schema, or a JSON Schema object.
 * @param side The side of the schema to convert.
 * @param convert A custom converter, which takes precedence over the library's.
 * @returns The JSON Schema, and the reason for the failure if it could not be converted.
 */
export function writeSchema(schema: unknown, side: Side, convert?: SchemaConverter): WrittenSchema {
  try {
    const converted = convert?.(schema, side);
    if (converted !== undefined) return { schema: withoutDialect(converted) };
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
      return { schema: {}, failure: "it is not a schema" };
    }
    if (!("~standard" in schema)) return { schema: withoutDialect({ ...schema }) };
    const face = faceOf(schema["~standard"]);
    const write = face?.[side];
    if (write === undefined) {
      return { schema: {}, failure: `${vendorOf(schema["~standard"])} does not support JSON Schema` };
    }
    return { schema: withoutDialect(write.call(face, { target, libraryOptions: libraryOptions(side) })) };
  } catch (error) {
    return { schema: {}, failure: messageOf(error) };
  }
}

function faceOf(standard: unknown): JSONSchemaFace | undefined {
  if (typeof standard !== "object" || standard === null || !("jsonSchema" in standard)) return undefined;
  const face = standard.jsonSchema;
  return typeof face === "object" && face !== null ? face : undefined;
}

function vendorOf(standard: unknown): string {
  const vendor = Object(standard)["vendor"];
  return typeof vendor === "string" ? `its library "${vendor}"` : "its library";
}

function withoutDialect(schema: JSONSchema): JSONSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Reports whether a schema accepts `undefined`, which makes its value optional. */
export function isOptional(schema: unknown): boolean {
  try {
    const result = checkNow(undefined, schema as StandardSchema);
    return result !== undefined && result.issues === undefined;
  } catch {
    // A schema that throws for `undefined` does not accept it.
    return false;
  }
}

/** Resolves a reference to one of the schema's own definitions. Only the top level is resolved. */
export function resolveOwn(schema: JSONSchema, root: JSONSchema = schema): JSONSchema {
  const reference = schema["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/$defs/")) return schema;
  const found = Object(root["$defs"])[decodePointer(reference.slice("#/$defs/".length))];
  return typeof found === "object" && found !== null ? resolveOwn(found as JSONSchema, root) : {};
}

/** Decodes a JSON pointer segment. */
export function decodePointer(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * Reports whether a schema accepts an empty array, which a form or a query string sends by omitting the name.
 */
export function acceptsNoItems(schema: JSONSchema): boolean {
  return schema["type"] === "array" && !(Number(schema["minItems"]) > 0);
}

/** Returns the schema of a required header. An array must have at least one item. */
export function withItems(schema: JSONSchema): JSONSchema {
  return acceptsNoItems(schema) ? { ...schema, minItems: 1 } : schema;
}

/** Returns a copy of an object without its undefined members. */
export function withoutAbsent(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Returns an array of a document, or an empty one if there is none. */
export function listOf<T = JSONSchema>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value : [];
}
