// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/semver/satisfies.js";
import type { Range, SemVer } from "./types.ts";

export const satisfies: (version: SemVer, range: Range) => boolean = real.satisfies;
