/**
 * Handlers that carry extensions.
 *
 * @module
 */

import { func } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Extension, HostParty } from "./extension.ts";

/** A handler that carries an extension. The symbol is the same in all copies of fw. */
const carried: unique symbol = Symbol.for("fw.extension") as never;

/**
 * Lets a handler carry an extension. `Use` and the other methods that register the handler install the extension on
 * their party first. An extension that the handler already carries, such as that of fw's middleware, is installed
 * before it.
 *
 * @param handler The handler.
 * @param extension The extension. It should set `Many`, because middleware may be used on several parties.
 * @returns The handler.
 *
 * @example Create middleware that adds a label to log lines
 * ```ts
 * import * as fw from "@fw/web";
 *
 * function region(): fw.Handler {
 *   return fw.Extend((ctx) => ctx.Next(), {
 *     Name: "region",
 *     Many: true,
 *     Install: (host) => host.Label("region", (ctx) => ctx.GetHeader("x-region"), { Log: true }),
 *   });
 * }
 * const lines: string[] = [];
 * const app = fw.New();
 * app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
 * app.Use(region());
 * app.Get("/", (ctx) => ctx.Logger().Info("hello"));
 * await app.fetch(new Request("http://localhost/", { headers: { "x-region": "eu" } }));
 * lines; // → ["[INFO] hello region=eu"]
 * ```
 */
export function Extend<H extends (...args: never[]) => unknown>(handler: H, extension: Extension<unknown>): H {
  checkArgument(handler, func(), "handler", "Extend");
  assertExtension(extension);
  const earlier = (handler as { readonly [carried]?: Extension<unknown> })[carried];
  const value = earlier === undefined ? extension : after(earlier, extension);
  return Object.defineProperty(handler, carried, { value, configurable: true });
}

/** Returns an extension that installs another one first, such as that of the middleware that it extends. */
function after(earlier: Extension<unknown>, extension: Extension<unknown>): Extension<unknown> {
  const { Name, Needs = [], Many = false, Seam = 1 } = extension;
  return {
    Name,
    Needs,
    Many,
    Seam,
    Install(host) {
      host.Party.Install(earlier);
      return extension.Install(host);
    },
  };
}

/** Throws if a value is not an extension. */
export function assertExtension(extension: Extension<unknown>): void {
  const { Name, Install } = Object(extension) as Partial<Extension<unknown>>;
  if (typeof Name === "string" && Name !== "" && typeof Install === "function") return;
  const hint = typeof extension === "function" ? "; call the function that creates it" : "";
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot install an extension: it must have a "Name" and a method "Install"${hint}`,
  );
}

/** Installs the extensions that handlers carry on a party. */
export function installCarried(party: HostParty, handlers: readonly object[]): void {
  for (const handler of handlers) {
    const extension = (Object(handler) as { readonly [carried]?: Extension<unknown> })[carried];
    if (extension !== undefined) party.Install(extension);
  }
}
