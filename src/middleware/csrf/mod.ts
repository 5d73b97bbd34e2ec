/**
 * Middleware that refuses requests which pages of other sites have a browser send (cross-site request forgery).
 *
 * Browsers say where a request comes from, by `Sec-Fetch-Site` and `Origin`, and no page can change what they say. So
 * nothing is needed but the middleware: no token, no cookie.
 *
 * @example A form of this site, and the same form on another
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
 * Browsers from before 2020 send neither header with a form. With `Keys`, requests without both must bring a token: in
 * a view `<%~ it.csrfField() %>` writes it into a form, elsewhere {@linkcode Field} and {@linkcode Token} do. Programs
 * that are not browsers then need one as well; without `Keys` they pass.
 *
 * A form with files brings the token as a field too. The files are not read before the token is: in a form of more than
 * 256 KiB, or of unknown length, the field must come before the first file input. A form that has it behind is refused
 * with 403 and a message that says so.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors.ts";
import { isThenable } from "../../base/thenable.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { Keys } from "../../keys/keys.ts";
import { originTest } from "../origins.ts";
import { fieldOf, hasToken, prepareTokens, tokenOf, type TokenSettings, type Verdict } from "./token.ts";

/** What is let through. */
export interface Options {
  /**
   * Other origins whose pages may send requests: `https://shop.example`, or `https://*.shop.example` for subdomains.
   */
  TrustedOrigins?: readonly string[];
  /** Keys for tokens, which requests without `Sec-Fetch-Site` and `Origin` must then bring. */
  Keys?: Keys;
  /** The form field that brings the token; `"csrf_token"` when left out. */
  Field?: string;
  /** The header that brings the token; `"X-CSRF-Token"` when left out. */
  Header?: string;
  /** What a token is bound to beside its cookie, such as the id of the session: it is worth nothing with another. */
  Bind?: (ctx: Context) => string;
  /** Leaves a request alone, such as one for an API that takes no cookies. */
  Skip?: (ctx: Context) => boolean;
  /** Responds to a request that is refused, in place of a bare 403; `ctx.GetErr()` says why if there is more to say. */
  OnRefuse?: Handler;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Creates the middleware. GET, HEAD, OPTIONS and TRACE always pass, since they must not change anything; the handshake
 * of a WebSocket, which is a GET, is judged by its origin.
 *
 * @param options What is let through.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const isTrusted = originTest(options.TrustedOrigins ?? []);
  const tokens = tokenSettings(options);
  const { Skip, OnRefuse = refuse } = options;

  function proceed(ctx: Context, verdict: Verdict): ReturnType<Handler> {
    if (verdict === true) return ctx.Next();
    if (verdict !== false) ctx.SetErr(new HTTPError(403, verdict));
    ctx.StopExecution();
    return OnRefuse(ctx);
  }

  return function csrf(ctx) {
    if (tokens !== undefined) prepareTokens(ctx, tokens);
    const isSafe = safeMethods.has(ctx.Method());
    // A WebSocket is opened by GET, with cookies, from any page, and then does what it likes.
    if (isSafe && !isHandshake(ctx) || Skip?.(ctx) === true) return ctx.Next();
    const verdict = judge(ctx, isTrusted, isSafe ? undefined : tokens);
    return isThenable(verdict) ? verdict.then((it) => proceed(ctx, it)) : proceed(ctx, verdict);
  };
}

/**
 * The token of this client, for a header or a form field. It is another text each time, and all of them are valid.
 *
 * @param ctx The request.
 * @returns The token; empty when the middleware has no keys.
 */
export function Token(ctx: Context): string {
  return tokenOf(ctx);
}

/**
 * The token of this client as a hidden form field.
 *
 * @param ctx The request.
 * @returns HTML; empty when the middleware has no keys.
 */
export function Field(ctx: Context): string {
  return fieldOf(ctx);
}

function judge(
  ctx: Context,
  isTrusted: (origin: string) => boolean,
  tokens: TokenSettings | undefined,
): Verdict | Promise<Verdict> {
  const site = ctx.GetHeader("sec-fetch-site");
  if (site === "same-origin" || site === "none") return true;
  const origin = ctx.GetHeader("origin");
  if (site !== "") return isTrusted(origin);
  if (origin !== "") return isOwn(ctx, origin) || isTrusted(origin);
  return tokens === undefined || hasToken(ctx, tokens);
}

/** Reports whether a request opens a WebSocket. Browsers always send `Origin` with it. */
function isHandshake(ctx: Context): boolean {
  return /\bwebsocket\b/i.test(ctx.GetHeader("upgrade"));
}

/** Reports whether an origin is that of the request itself. */
function isOwn(ctx: Context, origin: string): boolean {
  const [theirs, ours] = [URL.parse(origin), URL.parse(`${ctx.Scheme()}://${ctx.Host()}`)];
  if (theirs === null || ours === null || theirs.origin !== origin) return false;
  if (theirs.origin === ours.origin) return true;
  // Behind a proxy that ends TLS and is not configured, https looks like http here. The other way round it is an
  // attacker on the wire, who can put pages on the http side of a host.
  return ours.protocol === "http:" && theirs.protocol === "https:" && theirs.hostname === ours.hostname &&
    (theirs.port === ours.port || theirs.port === "" && ours.port === "443");
}

function tokenSettings(options: Options): TokenSettings | undefined {
  const { Keys: keys, Field = "csrf_token", Header = "X-CSRF-Token", Bind } = options;
  if (keys === undefined) return undefined;
  if (!/^[\w.-]+$/.test(Field)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the form field "${Field}": it takes letters, digits and hyphens`);
  }
  return { keys, field: Field, header: Header, bind: Bind ?? (() => "") };
}

const refuse: Handler = function (ctx) {
  const error = ctx.GetErr();
  if (error === undefined) ctx.StopWithStatus(403);
  else ctx.StopWithError(403, error);
};
