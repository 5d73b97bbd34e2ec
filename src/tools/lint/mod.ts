/**
 * Lint rules for controllers. They report mistakes that neither the compiler nor fw can detect: `private` methods that
 * are routes, optional path arguments such as `id?: number`, Context parameters with an unexpected name, and renamed
 * imports of `Inject`.
 *
 * Add the plugin to `deno.json`: `{ "lint": { "plugins": ["jsr:@fw/web/lint"] } }`.
 *
 * @example Find a private method that clients can call
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

/** The lint plugin, named `fw-web`. */
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
