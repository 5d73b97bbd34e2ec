// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/semver/parse.js";
import type { SemVer } from "./types.ts";

export const parse: (value: string) => SemVer = real.parse;
