// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/semver/compare.js";
import type { SemVer } from "./types.ts";

export const compare: (version1: SemVer, version2: SemVer) => 1 | 0 | -1 = real.compare;
