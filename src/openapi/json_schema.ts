/**
 * Schemas of any library as JSON Schema, by the library's own word.
 *
 * @module
 */

import { libraryOptions } from "./schema_libraries.ts";

/** A JSON Schema of draft 2020-12, which is that of OpenAPI 3.1. */
export type JSONSchema = Record<string, unknown>;

/** Which side of a schema is meant: what a client sends, or what the program gets or returns. */
export type Side = "input" | "output";

/** Turns a schema into JSON Schema, for a library that does not do so itself. */
export type SchemaConverter = (schema: unknown, side: Side) => JSONSchema | undefined;

/** A schema that was written, or the reason why it is left open. */
export interface WrittenSchema {
  readonly schema: JSONSchema;
  readonly failure?: string;
}

/** What a library may offer beside `validate` (Standard JSON Schema). */
type JSONSchemaFace = Partial<Record<Side, (options: { target: string; libraryOptions?: unknown }) => JSONSchema>>;

const target = "draft-2020-12";

/**
 * Writes a schema as JSON Schema. It never throws: what a library cannot say is left open.
 *
 * @param schema A Standard Schema whose library knows JSON Schema, or a JSON Schema as a plain object.
 * @param side The side that is meant.
 * @param convert Asked first, for libraries that need help.
 * @returns The JSON Schema, and why it says nothing if that is so.
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
      return { schema: {}, failure: `${vendorOf(schema["~standard"])} does not write JSON Schema` };
    }
    return { schema: withoutDialect(write.call(face, { target, libraryOptions: libraryOptions(side) })) };
  } catch (error) {
    return { schema: {}, failure: error instanceof Error ? error.message : String(error) };
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

/** Reports whether a schema accepts `undefined`, so that what it describes may be left out. */
export function isOptional(schema: unknown): boolean {
  try {
    const result = Object(schema)["~standard"].validate(undefined);
    if (result instanceof Promise) result.catch(() => {});
    else return Object(result)["issues"] === undefined;
  } catch {
    // A schema that fails on it does not accept it.
  }
  return false;
}

/** Follows the references of a schema to its own definitions, as far as the top level of members needs it. */
export function resolveOwn(schema: JSONSchema, root: JSONSchema = schema): JSONSchema {
  const reference = schema["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/$defs/")) return schema;
  const found = Object(root["$defs"])[decodePointer(reference.slice("#/$defs/".length))];
  return typeof found === "object" && found !== null ? resolveOwn(found as JSONSchema, root) : {};
}

/** Reads one step of a JSON pointer. */
export function decodePointer(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** An empty list has no text: where one is required, it has an item. */
export function withItems(schema: JSONSchema): JSONSchema {
  const isList = schema["type"] === "array" && !(Number(schema["minItems"]) > 0);
  return isList ? { ...schema, minItems: 1 } : schema;
}
