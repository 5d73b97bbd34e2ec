// The function from npm, which has no types, with the type of the real package.
import * as real from "npm:deno-std@1.4.0/path/windows/from_file_url.js";

export const fromFileUrl: (url: URL | string) => string = real.fromFileUrl;
