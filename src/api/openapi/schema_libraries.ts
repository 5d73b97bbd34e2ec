/**
 * Options for zod, valibot and ArkType that cover types without a JSON Schema equivalent.
 *
 * @module
 */

import { checkNow, type StandardSchema } from "../../core/accessors/schema.ts";

type Schema = Record<string, unknown>;

const dateTime: Schema = { type: "string", format: "date-time" };
const int64: Schema = { type: "integer", format: "int64" };
const binary: Schema = { type: "string", format: "binary" };

/** Returns the options to pass to schema libraries. Each library reads its own options and ignores the rest. */
export function libraryOptions(side: "input" | "output"): Record<string, unknown> {
  return {
    // By default, zod rejects a whole schema if one member has no JSON representation. With "any", that member accepts
    // any value.
    unrepresentable: "any",
    override: (found: ZodNode) => describeZod(found, side),
    fallback: describeArktype,
    // By default, valibot rejects a whole schema if one member or check has no JSON representation.
    errorMode: "ignore",
    overrideSchema: describeValibot,
  };
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: Record<string, unknown> } };
  readonly jsonSchema: Schema;
}

/** Additions to zod's JSON Schema, by type. */
const zodTypes: Readonly<Record<string, (def: Record<string, unknown>, node: ZodNode) => Schema | undefined>> = {
  date: () => dateTime,
  bigint: () => int64,
  map: (def) => ({ type: "object", additionalProperties: nested(def["valueType"]) }),
  set: (def) => ({ type: "array", items: nested(def["valueType"]), uniqueItems: true }),
  custom: (_def, node) => takesFile(node.zodSchema) ? binary : undefined,
};

function describeZod(node: ZodNode, side: "input" | "output"): void {
  const { def } = node.zodSchema._zod;
  const type = String(def["type"]);
  const { jsonSchema } = node;
  if (type === "file") {
    // The size limits of a file are not string lengths.
    for (const name of ["contentEncoding", "minLength", "maxLength"]) delete jsonSchema[name];
  }
  // A schema that strips unknown members does not guarantee that the response contains no other members.
  if (type === "object" && side === "output" && def["catchall"] === undefined) {
    delete jsonSchema["additionalProperties"];
  }
  const added = Object.hasOwn(zodTypes, type) ? zodTypes[type]?.(def, node) : undefined;
  if (added !== undefined) Object.assign(jsonSchema, added);
}

/** Converts a nested schema that zod does not visit. If the schema has its own definitions, it accepts any value. */
function nested(schema: unknown): Schema {
  const face = Object(Object(schema)["~standard"])["jsonSchema"];
  try {
    const { $schema: _, ...written } = face.output({
      target: "draft-2020-12",
      libraryOptions: libraryOptions("output"),
    });
    return "$defs" in written ? {} : written;
  } catch {
    return {};
  }
}

/** Reports whether a schema accepts files but not strings, such as `z.instanceof(File)`. */
function takesFile(schema: object): boolean {
  const fits = (value: unknown) => {
    const result = checkNow(value, schema as StandardSchema);
    return result !== undefined && result.issues === undefined;
  };
  try {
    return fits(new File([], "file")) && !fits("file") && !fits({});
  } catch {
    return false;
  }
}

/** The schemas of valibot's types without a JSON representation. */
const valibotTypes: Readonly<Record<string, Schema>> = {
  date: dateTime,
  bigint: int64,
  file: binary,
  blob: binary,
  set: { type: "array", uniqueItems: true },
  map: { type: "object" },
};

/** Describes a schema of valibot. Returns `undefined` to keep its own description. */
function describeValibot(
  { valibotSchema, jsonSchema }: { readonly valibotSchema: { readonly type?: unknown }; readonly jsonSchema: Schema },
): Schema | undefined {
  const type = String(valibotSchema.type);
  return Object.hasOwn(valibotTypes, type) ? { ...jsonSchema, ...valibotTypes[type] } : undefined;
}

interface ArktypeNode {
  readonly code: string;
  readonly base: Schema;
  readonly domain?: unknown;
  readonly proto?: { readonly name?: string };
}

function describeArktype({ code, base, domain, proto }: ArktypeNode): Schema {
  if (code === "date") return { ...base, ...dateTime };
  if (domain === "bigint") return { ...base, ...int64 };
  return proto?.name === "File" || proto?.name === "Blob" ? { ...base, ...binary } : base;
}
