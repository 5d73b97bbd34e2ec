// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/yaml/parse.js";

/** The supported YAML schemas. */
export type SchemaType = "failsafe" | "json" | "core" | "default" | "extended";

/** Options for {@linkcode parse}. */
export interface ParseOptions {
  schema?: SchemaType;
  allowDuplicateKeys?: boolean;
  onWarning?(error: Error): void;
}

export const parse: (content: string, options?: ParseOptions) => unknown = real.parse;
