// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/yaml/parse.js";

/** The YAML schemas that a parser can follow. */
export type SchemaType = "failsafe" | "json" | "core" | "default" | "extended";

/** Options for {@linkcode parse}. */
export interface ParseOptions {
  schema?: SchemaType;
  allowDuplicateKeys?: boolean;
  onWarning?(error: Error): void;
}

export const parse: (content: string, options?: ParseOptions) => unknown = real.parse;
