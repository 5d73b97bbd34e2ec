/**
 * The address to go on to after a login.
 *
 * @module
 */

import { filled, where } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { linkTo, publicPath } from "../../core/exchange/public_url.ts";
import { searchOf } from "../../http/headers/request_url.ts";

/** Options for {@linkcode Next}. */
export interface NextOptions {
  /**
   * The name of the form field or query parameter.
   *
   * @default {"next"}
   */
  Name?: string;
  /**
   * The path to go on to if there is no address, or if it is not safe.
   *
   * @default {"/"}
   */
  Default?: string;
}

const table = optionTable<NextOptions>("auth.NextOptions", "auth.Next")({
  Name: filled("next"),
  Default: where(filled("/"), "a path that starts with a single slash", (path) => /^\/(?![/\\])/.test(path)),
});

/** The maximum length of an address. Longer ones would exceed the limits of proxies for header fields. */
const longest = 2_000;

/**
 * Returns the path to go on to after a login, from a form field or else from the query string. Only paths within the
 * application are accepted: an address that leads to another site, or that a browser or a proxy could read as such, is
 * replaced by the default. The path gets the application's base path, the prefix of its mount and the language, unless
 * it has them.
 *
 * @param ctx The request context.
 * @param options The name of the field, and the default.
 * @returns The path, for `ctx.Redirect`.
 * @throws {FrameworkError} If an option is invalid.
 *
 * @example Return to the page that required the login
 * ```ts
 * import * as fw from "@fw/web";
 * import * as auth from "@fw/web/auth";
 *
 * const app = fw.New();
 * app.Post("/login", async (ctx) => ctx.Redirect(await auth.Next(ctx), 303));
 *
 * const ask = async (next: string) => {
 *   const body = new URLSearchParams({ next });
 *   return (await app.fetch(new Request("http://localhost/login", { method: "POST", body }))).headers.get("location");
 * };
 * await ask("/orders?page=2"); // → "/orders?page=2"
 * await ask("https://evil.example"); // → "/"
 * await ask("//evil.example"); // → "/"
 * ```
 */
export async function Next(ctx: Context, options: NextOptions = {}): Promise<string> {
  const { Name, Default } = readOptions(table, options);
  const isPage = ctx.Method() === "GET" || ctx.Method() === "HEAD";
  return nextPath(ctx, isPage ? ctx.URLParam(Name) : await ctx.FormValue(Name), Default);
}

/** Returns the public path for an address that a client has sent, or for a default if the address is not safe. */
export function nextPath(ctx: Context, address: string, fallback = "/"): string {
  return linkTo(exchangeOf(ctx).target, ownPath(address) ?? fallback);
}

/**
 * Returns the path and the query of an address on this site, or `undefined` if the address is not safe. Browsers treat
 * a path as another site if it starts with two slashes or backslashes, even if they follow characters that browsers
 * ignore, and some proxies decode them.
 */
function ownPath(address: string): string | undefined {
  if (address.length > longest || !/^\/(?![/\\])/.test(address) || /[\0-\x20\x7f-\x9f\\]/.test(address)) {
    return undefined;
  }
  const url = URL.parse(address, "http://localhost");
  // The path is checked after normalization, which turns "/..//evil.example" into "//evil.example". Two slashes are
  // refused everywhere, because proxies and language prefixes remove the part before them.
  if (url === null || url.host !== "localhost" || url.pathname.includes("//")) return undefined;
  return /%(?:2f|5c|[01][\da-f]|7f)/i.test(url.pathname) ? undefined : url.pathname + url.search;
}

/**
 * Responds to a request without a login. A browser that requests a page is redirected to the login, with the page as
 * the address to go on to. All other requests get 401.
 *
 * @param ctx The request context.
 * @param path The path of the login page.
 * @param name The name of the query parameter.
 */
export function demandLogin(ctx: Context, path: string, name: string): void {
  ctx.AddHeader("Vary", "Accept");
  const wantsPage = (ctx.Method() === "GET" || ctx.Method() === "HEAD") &&
    /\btext\/html\b/.test(ctx.GetHeader("accept"));
  if (!wantsPage) return ctx.StopWithStatus(401);
  const { target } = exchangeOf(ctx);
  // The browser must not cache this redirect for the page.
  ctx.Header("Cache-Control", "no-store");
  const next = `${name}=${encodeURIComponent(publicPath(target) + searchOf(target))}`;
  ctx.Redirect(`${path}${path.includes("?") ? "&" : "?"}${next}`);
}
