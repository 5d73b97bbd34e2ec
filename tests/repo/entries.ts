/**
 * The entry points of the package, as in deno.json. Prints their files when run as a program.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };

/** The import specifier and the file of each entry point. */
export const entries: readonly (readonly [name: string, file: string])[] = Object.entries(config.exports)
  .map(([path, file]) => [config.name + path.slice(1), file.slice(2)] as const);

if (import.meta.main) {
  // deno-lint-ignore no-console -- this is a command-line program
  console.log(entries.map(([, file]) => file).join(" "));
}
