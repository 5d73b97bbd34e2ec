// The constants from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/path/constants.js";

export const SEPARATOR: "\\" | "/" = real.SEPARATOR;
export const SEPARATOR_PATTERN: RegExp = real.SEPARATOR_PATTERN;
