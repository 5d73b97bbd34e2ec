// The real function, given the real package's type: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/path/basename.js";

export const basename: (path: string | URL, suffix?: string) => string = real.basename;
