/**
 * Schemas of any library as JSON Schema, by the library's own word.
 *
 * @module
 */

/** A JSON Schema of draft 2020-12, which is that of OpenAPI 3.1. */
export type JSONSchema = Record<string, unknown>;

/** Which side of a schema is meant: what a client sends, or what the program gets or returns. */
export type Side = "input" | "output";

/** Turns a schema into JSON Schema, for a library that does not do so itself. */
export type SchemaConverter = (schema: unknown, side: Side) => JSONSchema | undefined;

/** What a library may offer beside `validate` (Standard JSON Schema). */
type JSONSchemaFace = Partial<Record<Side, (options: { target: string; libraryOptions?: unknown }) => JSONSchema>>;

const target = "draft-2020-12";

/**
 * Turns a schema into JSON Schema.
 *
 * @param schema A Standard Schema whose library knows JSON Schema, or a JSON Schema as a plain object.
 * @param side The side that is meant.
 * @param convert Asked first, for libraries that need help.
 * @returns The JSON Schema, or `undefined` where nothing can be said.
 */
export function toJSONSchema(schema: unknown, side: Side, convert?: SchemaConverter): JSONSchema | undefined {
  const converted = convert?.(schema, side);
  if (converted !== undefined) return withoutDialect(converted);
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  if (!("~standard" in schema)) return typeof schema === "object" ? withoutDialect({ ...schema }) : undefined;
  const face = faceOf(schema["~standard"]);
  const write = face?.[side];
  if (write === undefined) return undefined;
  // zod refuses a whole schema for one member that JSON cannot hold, a Date say; so asked it leaves that member open.
  return withoutDialect(write.call(face, { target, libraryOptions: { unrepresentable: "any" } }));
}

function faceOf(standard: unknown): JSONSchemaFace | undefined {
  if (typeof standard !== "object" || standard === null || !("jsonSchema" in standard)) return undefined;
  const face = standard.jsonSchema;
  return typeof face === "object" && face !== null ? face : undefined;
}

function withoutDialect(schema: JSONSchema): JSONSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Reports whether a schema refers to parts of itself, and so must stand where its references can reach it. */
export function hasOwnReferences(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasOwnReferences);
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => key === "$ref" ? isOwn(value) : hasOwnReferences(value));
}

/** Points the references of a schema to where it stands in the document. */
export function rebase(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => rebase(item, place));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "$ref" && isOwn(value) ? place + value.slice(1) : rebase(value, place),
    ]),
  );
}

/** A reference inside of the schema itself, not one to a component of the document. */
function isOwn(reference: unknown): reference is string {
  return typeof reference === "string" && reference.startsWith("#") && !reference.startsWith("#/components/");
}
