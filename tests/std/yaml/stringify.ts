// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/yaml/stringify.js";

/** The most common options for {@linkcode stringify}. */
export interface StringifyOptions {
  indent?: number;
  skipInvalid?: boolean;
  sortKeys?: boolean | ((a: string, b: string) => number);
  lineWidth?: number;
  useAnchors?: boolean;
  compatMode?: boolean;
}

export const stringify: (data: unknown, options?: StringifyOptions) => string = real.stringify;
