// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/semver/parse_range.js";
import type { Range } from "./types.ts";

export const parseRange: (value: string) => Range = real.parseRange;
