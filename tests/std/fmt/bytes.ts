// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/fmt/bytes.js";

/** How a number of bytes is written. */
export interface FormatOptions {
  bits?: boolean;
  binary?: boolean;
  signed?: boolean;
  locale?: boolean | string | string[];
  minimumFractionDigits?: number;
  maximumFractionDigits?: number;
}

export const format: (num: number, options?: FormatOptions) => string = real.format;
