/**
 * Middleware that protects against cross-site request forgery (CSRF).
 *
 * Browsers report the origin of a request in the `Sec-Fetch-Site` and `Origin` headers, which pages cannot change. The
 * middleware therefore needs neither a token nor a cookie.
 *
 * Browsers released before 2020 send neither header with a form. If `Keys` is set, requests without both headers must
 * contain a token. In a view, `<%~ it.csrfField() %>` writes the token into a form. Elsewhere, use {@linkcode Field}
 * and {@linkcode Token}. Clients other than browsers then need a token as well. Without `Keys`, their requests are
 * accepted.
 *
 * A form with files also contains the token as a field. The middleware does not read any file before it has found the
 * token. In forms that are larger than 256 KiB or of unknown length, the field must therefore come before the first
 * file input. Otherwise, the form is rejected with 403 and an explanation.
 *
 * @example Accept a form from this site and reject it from another site
 * ```ts
 * import * as fw from "@fw/web";
 * import * as csrf from "@fw/web/middleware/csrf";
 *
 * const app = fw.New();
 * app.Use(csrf.New());
 * app.Post("/transfer", (ctx) => ctx.WriteString("done"));
 *
 * const from = async (site: string) => {
 *   const headers = { "sec-fetch-site": site };
 *   return (await app.fetch(new Request("http://localhost/transfer", { method: "POST", headers }))).status;
 * };
 * [await from("same-origin"), await from("cross-site"), await from("same-site")]; // → [200, 403, 403]
 * ```
 *
 * @module
 */

import { returnedBoolean, returnedString } from "../../base/config/returned.ts";
import { filled, formerly, func, methods, text, texts, where } from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { Handler } from "../../core/context/handler.ts";
import { ownHosts } from "../../core/context/own_hosts.ts";
import { refuseWith } from "../../core/context/refusal.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { setPrivateError } from "../../core/exchange/exchange.ts";
import { noteOwnInput } from "../../core/exchange/own_inputs.ts";
import type { Keys } from "../../state/keys/keys.ts";
import { originTest } from "../origins.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import { checkToken, prepareTokens, type Refusal, type TokenSettings, type Verdict } from "./token.ts";

export { Field, Token } from "./token.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * Other origins whose pages may send requests, such as `https://shop.example`, or `https://*.shop.example` for all
   * subdomains.
   */
  Origins?: readonly string[];
  /** The keys for tokens. If set, requests without `Sec-Fetch-Site` and `Origin` must contain a token. */
  Keys?: Keys;
  /**
   * The form field that contains the token.
   *
   * @default {"csrf_token"}
   */
  Field?: string;
  /**
   * The header that contains the token.
   *
   * @default {"X-CSRF-Token"}
   */
  Header?: string;
  /** Returns a value that tokens are bound to in addition to their cookie, such as the session ID. */
  Bind?: (ctx: Context) => string;
  /** A predicate that excludes requests from the check, such as requests to an API that does not use cookies. */
  Skip?: (ctx: Context) => boolean;
  /**
   * The handler that writes the response to rejected requests. `ctx.GetErr()` returns an error with the reason. The
   * status is 403 unless the handler sets another one. If omitted, the response is a plain 403.
   */
  OnRefuse?: Handler;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

const table = optionTable<Options>("middleware/csrf.Options", "csrf")({
  Origins: formerly("TrustedOrigins", texts([])),
  Keys: methods("Sign", "Verify"),
  Field: filled("csrf_token"),
  Header: where(text("X-CSRF-Token"), "a header name", isHeaderToken),
  Bind: func(),
  Skip: func(),
  OnRefuse: func(),
});

/**
 * Creates middleware that rejects cross-site requests with 403. GET, HEAD, OPTIONS and TRACE requests are always
 * accepted, because they must not have side effects. The exception is WebSocket handshakes, whose origin is checked.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options = {}): Handler {
  const settings = readOptions(table, options);
  const { Origins, Skip, OnRefuse } = settings;
  const isTrusted = originTest(Origins);
  const tokens = tokenSettings(settings);

  function proceed(ctx: Context, verdict: Verdict): ReturnType<Handler> {
    if (verdict === undefined) return ctx.Next();
    const error = noteRefusal(ctx, verdict);
    if (OnRefuse !== undefined) return refuseWith(ctx, 403, () => OnRefuse(ctx));
    return verdict.isPublic === true ? ctx.StopWithError(403, error) : ctx.StopWithStatus(403);
  }

  return Extend(csrf, { Name: "csrf", Many: true, Install() {} });

  function csrf(ctx: Context): ReturnType<Handler> {
    if (tokens !== undefined) prepareTokens(ctx, tokens);
    const isSafe = safeMethods.has(ctx.Method());
    // A WebSocket handshake is a GET request with cookies that any page can send. After that, the page could use the
    // connection for anything.
    if (!isSafe && tokens !== undefined) noteOwnInput(exchangeOf(ctx).request, "form", tokens.field);
    if (isSafe && !isHandshake(ctx)) return ctx.Next();
    if (Skip !== undefined && returnedBoolean(Skip(ctx), "Skip of csrf")) return ctx.Next();
    const verdict = judge(ctx, isTrusted);
    if (verdict !== "unknown") return proceed(ctx, verdict);
    return isSafe || tokens === undefined ? ctx.Next() : proceedWithToken(ctx, tokens);
  }

  async function proceedWithToken(ctx: Context, tokens: TokenSettings): Promise<void | Response> {
    return await proceed(ctx, await checkToken(ctx, tokens));
  }
}

/** Judges a request by its headers. They may not say where it comes from. */
function judge(ctx: Context, isTrusted: (origin: string) => boolean): Verdict | "unknown" {
  const site = ctx.GetHeader("sec-fetch-site");
  if (site === "same-origin" || site === "none") return undefined;
  const origin = ctx.GetHeader("origin");
  if (site === "" && origin === "") return "unknown";
  if (isTrusted(origin) || (site === "" && ownHosts(ctx).some((host) => isOwn(ctx, host, origin)))) return undefined;
  const [sender, kind] = [origin === "" ? "another origin" : `the origin "${origin}"`, site === "" ? "" : ` (${site})`];
  const own = `${ctx.Scheme()}://${ownHosts(ctx)[0]}`;
  return {
    reason: `it comes from a page of ${sender}${kind}, which is neither the application's own origin "${own}" nor in ` +
      "Origins",
  };
}

/** Stores the reason for error handlers and developers. The client sees only the status unless the reason is public. */
function noteRefusal(ctx: Context, { reason, isPublic = false }: Refusal): Error {
  const error = isPublic
    ? new HTTPError(403, `Cannot check the form: ${reason}`, { Code: "FW_AUTH" })
    // Error pages may show the message of an HTTPError.
    : new FrameworkError("FW_AUTH", `Cannot accept the request: ${reason}`);
  // The cause is the request, so stack frames would not be helpful.
  error.stack = String(error);
  if (isPublic) ctx.SetErr(error);
  else setPrivateError(exchangeOf(ctx), error);
  ctx.Logger().Debug(`Rejected ${ctx.Method()} ${ctx.Path()} with 403:`, error.message);
  return error;
}

/** Reports whether a request opens a WebSocket. Browsers always send `Origin` with such requests. */
function isHandshake(ctx: Context): boolean {
  return /\bwebsocket\b/i.test(ctx.GetHeader("upgrade"));
}

/** Reports whether an origin is the application's own origin at a host. */
function isOwn(ctx: Context, host: string, origin: string): boolean {
  const [theirs, ours] = [URL.parse(origin), URL.parse(`${ctx.Scheme()}://${host}`)];
  if (theirs === null || ours === null || theirs.origin !== origin) return false;
  if (theirs.origin === ours.origin) return true;
  // Behind a TLS-terminating proxy that fw does not trust, https looks like http. The reverse case would be an attack,
  // because an attacker on the network can serve pages on the http side of a host.
  return ours.protocol === "http:" && theirs.protocol === "https:" && theirs.hostname === ours.hostname &&
    (theirs.port === ours.port || theirs.port === "" && ours.port === "443");
}

type TokenOptions = Filled<Pick<Options, "Keys" | "Field" | "Header" | "Bind">, "Keys" | "Bind">;

function tokenSettings({ Keys: keys, Field, Header, Bind }: TokenOptions): TokenSettings | undefined {
  if (keys === undefined) return undefined;
  if (!/^[\w.-]+$/.test(Field)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the form field "${Field}": use letters, digits, underscores, dots and hyphens`,
    );
  }
  return {
    keys,
    field: Field,
    header: Header,
    bind: (ctx) => Bind === undefined ? "" : returnedString(Bind(ctx), "Bind of csrf"),
  };
}
