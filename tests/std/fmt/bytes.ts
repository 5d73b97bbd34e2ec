// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/fmt/bytes.js";

/** Options for formatting a number of bytes. */
export interface FormatOptions {
  bits?: boolean;
  binary?: boolean;
  signed?: boolean;
  locale?: boolean | string | string[];
  minimumFractionDigits?: number;
  maximumFractionDigits?: number;
}

export const format: (num: number, options?: FormatOptions) => string = real.format;
