/**
 * Redirects from plain HTTP to HTTPS.
 *
 * @module
 */

import { count, formerly, func } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { returnedBoolean } from "../base/config/returned.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { homePath, valuePath } from "../core/exchange/public_url.ts";
import { hostName } from "../http/headers/host_name.ts";
import { searchOf } from "../http/headers/request_url.ts";

/** Options for {@linkcode RedirectToHTTPS}. */
export interface HTTPSOptions {
  /**
   * The HTTPS port.
   *
   * @default {443}
   */
  Port?: number;
  /**
   * A predicate that excludes requests from the redirect, such as health checks at other paths. Defaults to the paths
   * `/livez` and `/readyz`.
   */
  Skip?: (ctx: Context) => boolean;
}

const table = optionTable<HTTPSOptions>("HTTPSOptions", "RedirectToHTTPS")({
  Port: count(443, { to: 65535 }),
  Skip: formerly("Except", func(isHealthCheck)),
});

/**
 * Creates middleware that redirects plain HTTP requests to the same URL over HTTPS, with status 308. Register it with
 * `UseRouter` to include paths without a route. Behind a proxy, configure `fw.WithProxy` so that the client's scheme is
 * known.
 *
 * @example Redirect to HTTPS
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.UseRouter(fw.RedirectToHTTPS());
 * app.Get("/", (ctx) => ctx.WriteString("secure"));
 *
 * const response = await app.fetch(new Request("http://example.com/a?b=1"));
 * response.headers.get("location"); // → "https://example.com/a?b=1"
 * ```
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function RedirectToHTTPS(options: HTTPSOptions = {}): Handler {
  const { Port, Skip } = readOptions(table, options);
  const suffix = Port === 443 ? "" : `:${Port}`;
  return function redirectToHTTPS(ctx) {
    if (ctx.Scheme() === "https" || returnedBoolean(Skip(ctx), "Skip of RedirectToHTTPS")) return ctx.Next();
    const { target } = exchangeOf(ctx);
    const path = homePath(target) + valuePath(target) + searchOf(target);
    // Without a host, the first segment of the path would become the host.
    ctx.Redirect(`https://${hostName(ctx.Host()) || "localhost"}${suffix}${path}`, 308);
    ctx.StopExecution();
  };
}

function isHealthCheck(ctx: Context): boolean {
  return ctx.Path() === "/livez" || ctx.Path() === "/readyz";
}
