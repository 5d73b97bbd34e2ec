/**
 * The parts of a document that several operations share.
 *
 * @module
 */

import { hasOwnReferences, type JSONSchema, rebase } from "./json_schema.ts";

/** The schema of problem details (RFC 9457), as fw sends them for input that does not fit. */
const problem: JSONSchema = {
  type: "object",
  description: "What went wrong (RFC 9457)",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { pointer: { type: "string" }, detail: { type: "string" } },
        required: ["detail"],
      },
    },
  },
};

/** Schemas and security schemes, each under a name of its own. */
export class Components {
  readonly #schemas = new Map<string, JSONSchema>();
  readonly #security = new Map<string, Readonly<Record<string, unknown>>>();

  /** Places a schema: where it stands if it is self-contained, else under a name that its references can reach. */
  place(schema: JSONSchema, name: string): JSONSchema {
    if (!hasOwnReferences(schema)) return schema;
    const key = this.#free(name, schema);
    if (!this.#schemas.has(key)) {
      this.#schemas.set(key, rebase(schema, `#/components/schemas/${key}`) as JSONSchema);
    }
    return { $ref: `#/components/schemas/${key}` };
  }

  /** Sets a schema under its own name, whose references are those of the document already. */
  define(name: string, schema: JSONSchema): void {
    this.#schemas.set(name, schema);
  }

  /** The reference to the schema of problem details. */
  problem(): JSONSchema {
    this.#schemas.set("Problem", problem);
    return { $ref: "#/components/schemas/Problem" };
  }

  /** Names a security scheme. */
  secure(name: string, scheme: Readonly<Record<string, unknown>>): void {
    this.#security.set(name, scheme);
  }

  /** The components as the document holds them; `undefined` when there are none. */
  toObject(): Record<string, unknown> | undefined {
    const parts: Record<string, unknown> = {};
    if (this.#schemas.size > 0) parts["schemas"] = Object.fromEntries(this.#schemas);
    if (this.#security.size > 0) parts["securitySchemes"] = Object.fromEntries(this.#security);
    return Object.keys(parts).length === 0 ? undefined : parts;
  }

  /** Finds a name that is free, or holds the same schema. */
  #free(name: string, schema: JSONSchema): string {
    const base = name.replace(/[^A-Za-z0-9._-]/g, "_");
    for (let at = 1;; at++) {
      const key = at === 1 ? base : `${base}${at}`;
      const present = this.#schemas.get(key);
      if (present === undefined) return key;
      if (JSON.stringify(present) === JSON.stringify(rebase(schema, `#/components/schemas/${key}`))) return key;
    }
  }
}
