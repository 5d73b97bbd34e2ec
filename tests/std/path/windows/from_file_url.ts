// The real function, given the real package's type: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/path/windows/from_file_url.js";

export const fromFileUrl: (url: URL | string) => string = real.fromFileUrl;
