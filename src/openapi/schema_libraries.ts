/**
 * What zod and arktype are asked to say of types that JSON Schema does not know.
 *
 * @module
 */

type Schema = Record<string, unknown>;

const dateTime: Schema = { type: "string", format: "date-time" };
const int64: Schema = { type: "integer", format: "int64" };
const binary: Schema = { type: "string", format: "binary" };

/** The options that are passed to the library; each takes its own and ignores the others. */
export function libraryOptions(side: "input" | "output"): Record<string, unknown> {
  return {
    // zod refuses a whole schema for one member that JSON cannot hold; so asked it leaves that member open.
    unrepresentable: "any",
    override: (found: ZodNode) => describeZod(found, side),
    fallback: describeArktype,
  };
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: Record<string, unknown> } };
  readonly jsonSchema: Schema;
}

/** Members of zod by their type; what a row returns is added to what zod wrote. */
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
    // The length of a file is not the length of a string.
    for (const name of ["contentEncoding", "minLength", "maxLength"]) delete jsonSchema[name];
  }
  // A schema that strips unknown members does not promise that nothing else is returned.
  if (type === "object" && side === "output" && def["catchall"] === undefined) {
    delete jsonSchema["additionalProperties"];
  }
  const added = Object.hasOwn(zodTypes, type) ? zodTypes[type]?.(def, node) : undefined;
  if (added !== undefined) Object.assign(jsonSchema, added);
}

/** The schema of a member that zod does not go into; one that needs definitions of its own is left open. */
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

/** Reports whether a schema takes a file and no text, as `z.instanceof(File)` does. */
function takesFile(schema: object): boolean {
  const validate = Object(Object(schema)["~standard"])["validate"];
  const fits = (value: unknown) => {
    const result = validate(value);
    return !(result instanceof Promise) && result.issues === undefined;
  };
  try {
    return fits(new File([], "file")) && !fits("file") && !fits({});
  } catch {
    return false;
  }
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
