/**
 * Writes a new application to start from: code, tests, tasks, a Dockerfile and a README.
 *
 * ```sh
 * deno run -A jsr:@fw/web/init my-app                         # asks what it should have
 * deno run -A jsr:@fw/web/init my-api --api --mvc --sessions
 * deno run -A jsr:@fw/web/init my-site --site --yes
 * ```
 *
 * @example The files of an application, without writing them
 * ```ts
 * import * as init from "@fw/web/init";
 *
 * const files = init.Files({ Name: "my-app", API: true, Site: false, MVC: false, Sessions: false });
 * files.has("main.ts"); // → true
 * ```
 *
 * @module
 */

import { composeFiles } from "./compose.ts";
import type { Choices } from "./choices.ts";

export type { Choices } from "./choices.ts";

/**
 * Composes the files of a new application.
 *
 * @param choices What it should have.
 * @returns The text of each file, by its path below the new folder.
 */
export function Files(choices: Choices): Map<string, string> {
  return composeFiles(choices);
}

if (import.meta.main) {
  const { main } = await import("./main.ts");
  Deno.exitCode = await main(Deno.args);
}
