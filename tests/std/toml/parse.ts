// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/toml/parse.js";

export const parse: (tomlString: string) => Record<string, unknown> = real.parse;
