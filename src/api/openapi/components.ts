/**
 * The parts of a document that operations share.
 *
 * @module
 */

import { decodePointer, type JSONSchema } from "./json_schema.ts";

/** The schema of problem details. `errors` lists the validation errors. */
const problemDetails: JSONSchema = {
  type: "object",
  description: "Problem details (RFC 9457)",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          in: { type: "string", enum: ["body", "query", "header", "path"] },
          pointer: { type: "string" },
          detail: { type: "string" },
        },
        required: ["pointer", "detail"],
      },
    },
  },
};

const place = "#/components/schemas/";

/** The use of a schema by a route. */
export interface SchemaUse {
  /** The component name to use if the schema needs one. */
  readonly name: string;
  /** The name of the controller, or an empty string for plain handlers. */
  readonly owner: string;
}

/** The named schemas and security schemes of a document. */
export class Components {
  readonly #schemas = new Map<string, JSONSchema>();
  readonly #security = new Map<string, Readonly<Record<string, unknown>>>();
  /** The names of schemas by their content, before their references were rewritten. */
  readonly #known = new Map<string, string>();
  /** Inline schemas that have been used once. If they are used again, they become components. */
  readonly #single = new Map<string, { readonly schema: JSONSchema; readonly name: string }>();
  readonly #problem: JSONSchema = {};

  /**
   * Adds a schema to the document. Its definitions, recursive schemas and schemas that are used twice become
   * components. Any other schema is returned unchanged. Unnamed schemas are shared by the routes of one owner only,
   * because they are named after one of these routes.
   *
   * @param schema The schema, with its definitions under `$defs`.
   * @param use The name and owner of the schema.
   * @returns The schema to use inline.
   */
  place(schema: JSONSchema, use: SchemaUse): JSONSchema {
    const { $defs, ...root } = schema;
    const own: Own = { ...use, root, definitions: Object(($defs ?? {}) as Record<string, JSONSchema>) };
    if (refersTo(root, "#")) return this.#refer(this.#define(ownKey(root, own), use.name, root, own));
    return this.#shared(this.#rewrite(root, own) as JSONSchema, own);
  }

  /** Adds a component whose references already point into the document. */
  define(name: string, schema: JSONSchema): void {
    this.#schemas.set(name, schema);
  }

  /** Returns a reference to the problem details schema. */
  problem(): JSONSchema {
    this.#problem["$ref"] ??= "";
    return this.#problem;
  }

  /**
   * Adds a security scheme. Guards of one kind may have different schemes, such as keys in different headers.
   *
   * @returns The name, followed by a number if it belongs to another scheme.
   */
  secure(name: string, scheme: Readonly<Record<string, unknown>>): string {
    let own = name;
    const isTaken = () => this.#security.has(own) && JSON.stringify(this.#security.get(own)) !== JSON.stringify(scheme);
    for (let number = 2; isTaken(); number++) own = name + number;
    this.#security.set(own, scheme);
    return own;
  }

  /** Returns the `components` object of the document, or `undefined` if it is empty. */
  toObject(): Record<string, unknown> | undefined {
    if (this.#problem["$ref"] === "") {
      // Choose the name last, so that an application type with the same name can keep it.
      const names = ["Problem", "ProblemDetails"];
      const name = names.find((each) => !this.#schemas.has(each) || this.#holds(each, problemDetails)) ??
        this.#free("ProblemDetails");
      this.#problem["$ref"] = place + name;
      this.#schemas.set(name, problemDetails);
    }
    const parts: Record<string, unknown> = {};
    if (this.#schemas.size > 0) parts["schemas"] = Object.fromEntries([...this.#schemas].sort(byName));
    if (this.#security.size > 0) parts["securitySchemes"] = Object.fromEntries(this.#security);
    return Object.keys(parts).length === 0 ? undefined : parts;
  }

  /** Resolves a reference to a component. */
  resolve(schema: JSONSchema): JSONSchema {
    const reference = schema["$ref"];
    return typeof reference === "string" ? this.#schemas.get(reference.slice(place.length)) ?? {} : schema;
  }

  #refer(name: string): JSONSchema {
    return { $ref: place + name };
  }

  /** Defines a schema, unless an equal schema already has a name. */
  #define(key: string, wanted: string, schema: JSONSchema, own: Own): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const base = nameOf(wanted);
    if (this.#schemas.has(base)) {
      // A document that was read from a file may already contain the schema.
      this.#known.set(key, base);
      if (this.#holds(base, this.#rewrite(schema, { ...own, name: base }))) return base;
    }
    const name = this.#free(wanted);
    // Register the name before the members are rewritten, so that a schema may refer to itself.
    this.#known.set(key, name);
    this.#schemas.set(name, {});
    this.#schemas.set(name, this.#rewrite(schema, { ...own, name }) as JSONSchema);
    return name;
  }

  #holds(name: string, schema: unknown): boolean {
    return JSON.stringify(this.#schemas.get(name)) === JSON.stringify(schema);
  }

  /** Rewrites references to a schema's own definitions into references to components. */
  #rewrite(value: unknown, own: Own): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, own));
    if (typeof value !== "object" || value === null) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      if (key === "$defs" || key === "$schema") continue;
      copy[key] = key === "$ref" && typeof member === "string" ? this.#target(member, own) : this.#rewrite(member, own);
    }
    return closedTuple(copy);
  }

  #target(reference: string, own: Own): string {
    if (reference === "#") {
      return place + this.#define(ownKey(own.root, own), own.name, own.root, own);
    }
    if (!reference.startsWith("#/$defs/")) return reference;
    const name = decodePointer(reference.slice("#/$defs/".length));
    const schema = own.definitions[name];
    if (schema === undefined) return reference;
    if (!isMadeUp(name)) return place + this.#define(keyOf(schema, own), name, schema, own);
    const wanted = `${own.name}_${name.replace(/\D/g, "") || "0"}`;
    return place + this.#define(ownKey(schema, own), wanted, schema, own);
  }

  /** Turns an object schema into a component on its second use, and rewrites the first use into a reference. */
  #shared(schema: JSONSchema, own: Own): JSONSchema {
    if (schema["type"] === "array" && typeof schema["items"] === "object" && schema["items"] !== null) {
      return { ...schema, items: this.#shared(schema["items"] as JSONSchema, own) };
    }
    if (schema["properties"] === undefined || Object.keys(Object(schema["properties"])).length === 0) return schema;
    const key = own.owner + JSON.stringify(schema);
    const known = this.#known.get(key);
    if (known !== undefined) return this.#refer(known);
    const before = this.#single.get(key);
    if (before === undefined) {
      this.#single.set(key, { schema, name: own.name });
      return schema;
    }
    const free = this.#free(before.name);
    this.#known.set(key, free);
    this.#schemas.set(free, { ...schema });
    for (const member of Object.keys(before.schema)) delete before.schema[member];
    before.schema["$ref"] = place + free;
    return this.#refer(free);
  }

  #free(wanted: string): string {
    const base = nameOf(wanted);
    let name = base;
    for (let at = 2; this.#schemas.has(name); at++) name = `${base}${at}`;
    return name;
  }
}

/**
 * Limits a tuple by its maximum length, because tools for older JSON Schema drafts read `items: false` as "no items".
 */
function closedTuple(schema: JSONSchema): JSONSchema {
  const { items, prefixItems } = schema;
  if (items !== false || !Array.isArray(prefixItems)) return schema;
  const { items: _, ...rest } = schema;
  return { ...rest, maxItems: prefixItems.length };
}

function nameOf(wanted: string): string {
  return wanted.replace(/[^A-Za-z0-9._-]/g, "_");
}

/** The definitions that a schema can refer to. */
interface Own extends SchemaUse {
  readonly root: JSONSchema;
  readonly definitions: Readonly<Record<string, JSONSchema>>;
}

/** Returns a key for an unnamed schema, which other owners do not share. */
function ownKey(schema: JSONSchema, own: Own): string {
  return own.owner + keyOf(schema, own);
}

/**
 * Returns a key for a schema and everything it refers to. Equal schemas have equal keys. Generated definition names are
 * replaced by numbers, so that a schema has the same key if it is nested in another schema.
 */
function keyOf(schema: JSONSchema, { definitions, root }: Own): string {
  const reached: JSONSchema[] = [schema];
  const replaced = (key: string, value: unknown) => {
    if (key !== "$ref" || typeof value !== "string") return value;
    const name = decodePointer(value.slice("#/$defs/".length));
    const target = value === "#" ? root : definitions[name];
    if (target === undefined) return value;
    if (!reached.includes(target)) reached.push(target);
    return value === "#" || isMadeUp(name) ? reached.indexOf(target) : value;
  };
  const texts: string[] = [];
  for (let at = 0; at < reached.length; at++) texts.push(JSON.stringify(reached[at], replaced));
  return texts.join("\n");
}

/** Reports whether a definition name was generated. Libraries number unnamed definitions. */
function isMadeUp(name: string): boolean {
  return /^(?:__)?schema\d*$|^\d+$/.test(name);
}

function refersTo(value: unknown, reference: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) =>
    key === "$ref" ? member === reference : refersTo(member, reference)
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
