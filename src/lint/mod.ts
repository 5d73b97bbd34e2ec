/**
 * Rules for `deno lint` on what a controller's source tells and neither the compiler nor the running program sees:
 * `private` methods that are routes, `id?: number` in a path, a Context under another name, and `Inject` imported as
 * something else.
 *
 * Add the plugin to `deno.json`: `{ "lint": { "plugins": ["jsr:@fw/web/lint"] } }`.
 *
 * @example A private method that every client could call
 * ```ts
 * import plugin from "@fw/web/lint";
 *
 * const source = "class UserController { private GetSecrets() { return 1; } }";
 * const found = Deno.lint.runPlugin(plugin, "users.ts", source);
 * found.map(({ id }) => id); // → ["fw-web/no-hidden-route"]
 * ```
 *
 * @module
 */

import { contextName, noHiddenRoute, noOptionalPathArgument } from "./controller_rules.ts";
import { injectName } from "./inject_name.ts";

/** The rules, under the name `fw-web`. */
const plugin: Deno.lint.Plugin = {
  name: "fw-web",
  rules: {
    "context-name": contextName,
    "inject-name": injectName,
    "no-hidden-route": noHiddenRoute,
    "no-optional-path-argument": noOptionalPathArgument,
  },
};

export default plugin;
