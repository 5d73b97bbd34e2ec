// The function from npm, which has no types, with the type of the real package.
import * as real from "npm:deno-std@1.4.0/path/resolve.js";

export const resolve: (...pathSegments: string[]) => string = real.resolve;
