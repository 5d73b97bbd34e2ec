// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/toml/parse.js";

export const parse: (tomlString: string) => Record<string, unknown> = real.parse;
