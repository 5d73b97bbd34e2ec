// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/semver/compare.js";
import type { SemVer } from "./types.ts";

export const compare: (version1: SemVer, version2: SemVer) => 1 | 0 | -1 = real.compare;
