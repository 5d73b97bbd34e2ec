/**
 * Redirects from plain HTTP to HTTPS.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Handler } from "../context/handler.ts";
import { hostName } from "../http/host_name.ts";

/** Options for {@linkcode RedirectToHTTPS}. */
export interface HTTPSOptions {
  /** The port that HTTPS is served on. @default {443} */
  Port?: number;
  /** Paths that are served over plain HTTP too, such as those of health checks. @default {["/livez", "/readyz"]} */
  Except?: readonly string[];
}

/**
 * Redirects requests over plain HTTP to the same URL over HTTPS, with status 308. Register it with `UseRouter`, so that
 * it covers paths without a route. Behind a proxy, `fw.WithProxy` tells which scheme the client uses.
 *
 * @example Both listeners
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
 * @param options The port, and exceptions.
 * @returns The handler.
 */
export function RedirectToHTTPS(options: HTTPSOptions = {}): Handler {
  const { Port = 443, Except = ["/livez", "/readyz"] } = options;
  if (!(Number.isInteger(Port) && Port > 0 && Port < 65536)) {
    throw new FrameworkError("FW_CONFIG", `Cannot redirect to port "${Port}": it must be 1 to 65535`);
  }
  const suffix = Port === 443 ? "" : `:${Port}`;
  const except = new Set(Except);
  return function redirectToHTTPS(ctx) {
    if (ctx.Scheme() === "https" || except.has(ctx.Path())) return ctx.Next();
    const { pathname, search } = new URL(ctx.Request().url);
    ctx.Redirect(`https://${hostName(ctx.Host())}${suffix}${pathname}${search}`, 308);
    ctx.StopExecution();
  };
}
