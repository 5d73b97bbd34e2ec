// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/semver/parse.js";
import type { SemVer } from "./types.ts";

export const parse: (value: string) => SemVer = real.parse;
