/**
 * Creates a new application with code, tests, tasks, a Dockerfile and a README.
 *
 * ```sh
 * deno run -A jsr:@fw/web/init my-app                         # prompts for the features
 * deno run -A jsr:@fw/web/init my-api --api --mvc --sessions
 * deno run -A jsr:@fw/web/init my-site --site --yes
 * ```
 *
 * @example Generate the files without writing them
 * ```ts
 * import * as init from "@fw/web/init";
 *
 * const files = init.Files({ Name: "my-app", API: true, Site: false, MVC: false, Sessions: false });
 * files.has("main.ts"); // → true
 * ```
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import type { Choices } from "./choices.ts";
import { composeFiles } from "./compose.ts";

export type { Choices } from "./choices.ts";

/**
 * Generates the files of a new application.
 *
 * @param choices The features of the application.
 * @returns The contents of the files, by path relative to the application's folder.
 */
export function Files(choices: Choices): Map<string, string> {
  return composeFiles(choices);
}

if (import.meta.main) {
  void loadModule(() => import("./main.ts")).then(({ main }) => main(Deno.args)).then((code) => Deno.exitCode = code);
}
