/**
 * Makes schemas self-contained, because a tool has no surrounding document that references could point to.
 *
 * @module
 */

import { decodePointer, type JSONSchema } from "../../openapi/json_schema.ts";

/** The schemas that tools share, by name. */
export type Definitions = Readonly<Record<string, JSONSchema>>;

const shared = "#/components/schemas/";

/**
 * Copies a schema together with all schemas that it refers to. Files become base64 strings, because messages are JSON.
 *
 * @param schema The schema.
 * @param definitions The schemas that it may refer to.
 */
export function selfContained(schema: JSONSchema, definitions: Definitions): JSONSchema {
  const $defs: Record<string, unknown> = {};
  const copied = copy(schema, definitions, $defs) as JSONSchema;
  return Object.keys($defs).length === 0 ? copied : { ...copied, $defs };
}

/** Resolves the references of a schema. */
export function resolved(schema: JSONSchema, definitions: Definitions): JSONSchema {
  let found = schema;
  for (let left = 32; left > 0 && typeof found["$ref"] === "string"; left--) {
    found = definitions[nameOf(found["$ref"])] ?? {};
  }
  return found;
}

/** Reports whether a schema describes a file or an array of files. */
export function isFile(schema: JSONSchema, definitions: Definitions): boolean {
  const { type, format, items } = resolved(schema, definitions);
  if (type === "array") return isFile(Object(items), definitions);
  return format === "binary";
}

function copy(value: unknown, definitions: Definitions, $defs: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, definitions, $defs));
  if (typeof value !== "object" || value === null) return value;
  const copied: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    copied[key] = key === "$ref" && typeof member === "string" && member.startsWith(shared)
      ? refer(nameOf(member), definitions, $defs)
      : copy(member, definitions, $defs);
  }
  if (copied["format"] !== "binary") return copied;
  const { format: _, ...file } = copied;
  return { ...file, type: "string", contentEncoding: "base64" };
}

function refer(name: string, definitions: Definitions, $defs: Record<string, unknown>): string {
  if (!Object.hasOwn($defs, name)) {
    // Register the schema before it is copied, so that it may refer to itself.
    $defs[name] = {};
    $defs[name] = copy(definitions[name] ?? {}, definitions, $defs);
  }
  return `#/$defs/${name}`;
}

function nameOf(reference: string): string {
  return decodePointer(reference.slice(shared.length));
}
