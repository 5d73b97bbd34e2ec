// The function from npm, which has no types, with the type of the real package.
import * as real from "npm:deno-std@1.4.0/path/basename.js";

export const basename: (path: string | URL, suffix?: string) => string = real.basename;
