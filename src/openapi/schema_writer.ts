/**
 * Writes the schemas of one document, and notes what could not be said.
 *
 * @module
 */

import type { Components } from "./components.ts";
import { type JSONSchema, type SchemaConverter, type Side, writeSchema } from "./json_schema.ts";

/** Writes the schemas of one document. */
export class SchemaWriter {
  readonly components: Components;
  /** What could not be said, one line each. */
  readonly warnings: Set<string> = new Set();
  readonly #convert: SchemaConverter | undefined;

  constructor(components: Components, convert: SchemaConverter | undefined) {
    this.components = components;
    this.#convert = convert;
  }

  /**
   * Writes a schema for the place where it is used.
   *
   * @param schema The schema of any library.
   * @param side The side that is meant.
   * @param name The name that it gets among the components if it needs one.
   * @param subject What it describes, for a warning: `the Body of "POST /teas"`.
   */
  write(schema: unknown, side: Side, name: string, subject: string): JSONSchema {
    return this.components.place(this.read(schema, side, subject), name);
  }

  /** Writes a schema with its own definitions, to be taken apart. */
  read(schema: unknown, side: Side, subject: string): JSONSchema {
    const written = writeSchema(schema, side, this.#convert);
    if (written.failure !== undefined) {
      this.warnings.add(`Cannot describe ${subject}: ${written.failure}; Convert can write it`);
    }
    return written.schema;
  }
}
