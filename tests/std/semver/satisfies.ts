// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/semver/satisfies.js";
import type { Range, SemVer } from "./types.ts";

export const satisfies: (version: SemVer, range: Range) => boolean = real.satisfies;
