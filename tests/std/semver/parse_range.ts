// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/semver/parse_range.js";
import type { Range } from "./types.ts";

export const parseRange: (value: string) => Range = real.parseRange;
