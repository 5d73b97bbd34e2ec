// The real function, given the real package's type: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/path/relative.js";

export const relative: (from: string, to: string) => string = real.relative;
