/**
 * The entry points of the package, as deno.json names them; run, it prints their files.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };

/** Each name that users import and the file behind it. */
export const entries: readonly (readonly [name: string, file: string])[] = Object.entries(config.exports)
  .map(([path, file]) => [config.name + path.slice(1), file.slice(2)] as const);

if (import.meta.main) {
  // deno-lint-ignore no-console -- its output is what this program is for
  console.log(entries.map(([, file]) => file).join(" "));
}
