// The real constants, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/path/constants.js";

export const SEPARATOR: "\\" | "/" = real.SEPARATOR;
export const SEPARATOR_PATTERN: RegExp = real.SEPARATOR_PATTERN;
