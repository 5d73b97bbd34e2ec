/**
 * Moves the definitions of a schema to the document's components.
 *
 * @module
 */

import { decodePointer, type JSONSchema } from "../json_schema.ts";

/** The named schemas of a document. */
export interface NamedSchemas {
  /** Returns a free name, which is then taken. */
  reserve(wanted: string): string;
  define(name: string, schema: JSONSchema): void;
}

/**
 * Rewrites the references of a schema so that they point to the document's components.
 *
 * @param schema The schema, with its definitions under `$defs`.
 * @param name The name of the schema itself, for definitions without a name of their own.
 * @param schemas The document's components.
 * @returns The schema to use inline.
 */
export function adoptSchema(
  schema: JSONSchema,
  name: string,
  schemas: NamedSchemas,
): JSONSchema {
  const { $defs, ...root } = schema;
  const definitions = Object($defs) as Record<string, JSONSchema>;
  const known = new Map<string, string>();
  const target = (reference: string): string => {
    const own = reference === "#" ? "" : decodePointer(reference.slice("#/$defs/".length));
    const found = reference === "#" ? root : definitions[own];
    if (found === undefined) return reference;
    let given = known.get(reference);
    if (given === undefined) {
      const isNamed = /^[A-Za-z]\w*$/.test(own) && !/^schema\d*$/.test(own);
      given = schemas.reserve(isNamed ? own : name);
      // Register the name before the members are rewritten, so that a schema may refer to itself.
      known.set(reference, given);
      schemas.define(given, rewrite(found) as JSONSchema);
    }
    return `#/components/schemas/${given}`;
  };
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([key]) => key !== "$defs" && key !== "$schema")
        .map(([key, member]) => [key, key === "$ref" && typeof member === "string" ? target(member) : rewrite(member)]),
    );
  };
  return rewrite(root) as JSONSchema;
}
