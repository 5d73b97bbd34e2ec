// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/yaml/stringify.js";

/** The most used of the options for {@linkcode stringify}. */
export interface StringifyOptions {
  indent?: number;
  skipInvalid?: boolean;
  sortKeys?: boolean | ((a: string, b: string) => number);
  lineWidth?: number;
  useAnchors?: boolean;
  compatMode?: boolean;
}

export const stringify: (data: unknown, options?: StringifyOptions) => string = real.stringify;
