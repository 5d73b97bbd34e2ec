/**
 * Explains fw's error codes. Use it from the command line or from code. Each page has the cause of the error, the
 * remedy and an example.
 *
 * ```sh
 * deno run jsr:@fw/web/explain FW_TEMPLATE            # the page of a code
 * deno run jsr:@fw/web/explain --list                 # all codes
 * deno run -A jsr:@fw/web/explain FLAG_STALE main.ts  # a code of an extension
 * ```
 *
 * A code of an extension is found in the application of the module, which is loaded as by `@fw/web/routes`. The page
 * has the meaning and the remedy that the extension declares.
 *
 * @example Read the page of an error
 * ```ts
 * import * as fw from "@fw/web";
 * import * as explain from "@fw/web/explain";
 *
 * try {
 *   fw.New().Get("/user/{id:nonsense}", () => {});
 * } catch (error) {
 *   const { Code } = error as fw.FrameworkError;
 *   explain.Page(Code).startsWith("# FW_TEMPLATE: A path template is invalid"); // → true
 * }
 * ```
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import type { ErrorCode } from "../../base/errors/errors.ts";
import { renderPage } from "./page.ts";
import { pages } from "./pages.ts";

/**
 * Returns the page of an error code.
 *
 * @param code The error code.
 * @returns The cause, the remedy and an example, as Markdown.
 *
 * @example Print a page
 * ```ts
 * import * as explain from "@fw/web/explain";
 *
 * explain.Page("FW_LISTEN").includes("the port is already in use"); // → true
 * ```
 */
export function Page(code: ErrorCode): string {
  return renderPage(code, pages[code]);
}

// This promise is not awaited, because the loaded application may import this module, which would cause a deadlock.
if (import.meta.main) void loadModule(() => import("./main.ts")).then(({ main }) => main(Deno.args)).then(Deno.exit);
