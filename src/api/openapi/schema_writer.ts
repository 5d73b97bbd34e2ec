/**
 * Converts the schemas of a document and collects warnings.
 *
 * @module
 */

import type { Components, SchemaUse } from "./components.ts";
import { type JSONSchema, type SchemaConverter, type Side, writeSchema } from "./json_schema.ts";

/** Converts the schemas of a document. */
export class SchemaWriter {
  readonly components: Components;
  /** The schemas that could not be converted, one warning each. */
  readonly warnings: Set<string> = new Set();
  readonly #convert: SchemaConverter | undefined;

  constructor(components: Components, convert: SchemaConverter | undefined) {
    this.components = components;
    this.#convert = convert;
  }

  /**
   * Converts a schema for inline use.
   *
   * @param schema The schema, from any library.
   * @param side The side of the schema to convert.
   * @param use The name and owner of the schema.
   * @param subject The schema's purpose, for warnings, such as `the Body of "POST /teas"`.
   */
  write(schema: unknown, side: Side, use: SchemaUse, subject: string): JSONSchema {
    return this.components.place(this.read(schema, side, subject), use);
  }

  /** Converts a schema and keeps its definitions, so that its members can be extracted. */
  read(schema: unknown, side: Side, subject: string): JSONSchema {
    const written = writeSchema(schema, side, this.#convert);
    if (written.failure !== undefined) {
      this.warnings.add(`Cannot describe ${subject}: ${written.failure}; set the Convert option to convert it`);
    }
    return written.schema;
  }
}
