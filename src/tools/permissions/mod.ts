/**
 * Finds the permissions that a program needs and writes them into its configuration file. Use it from the command line.
 *
 * ```sh
 * deno run -A jsr:@fw/web/permissions -- test          # the task "test", or deno test
 * deno run -A jsr:@fw/web/permissions -- start         # a server, until it is stopped with Ctrl+C
 * deno run -A jsr:@fw/web/permissions --check -- test  # in CI: fails if the tests request more
 * ```
 *
 * Then run the program with the permission set, which is named after the task: `deno run -P=start main.ts`.
 *
 * @example Convert a permission set into flags
 * ```ts
 * import * as permissions from "@fw/web/permissions";
 *
 * const config = { permissions: { start: { net: ["0.0.0.0:8080"], read: ["./views"] } } };
 * permissions.Flags(config.permissions.start); // → ["--allow-net=0.0.0.0:8080", "--allow-read=./views"]
 * ```
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";

export { Flags, type Kind, type PermissionSet, type Resources, type Rules } from "./permission_set.ts";

if (import.meta.main) {
  void loadModule(() => import("./main.ts")).then(({ main }) => main(Deno.args)).then((code) => Deno.exitCode = code);
}
