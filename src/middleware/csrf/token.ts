/**
 * CSRF tokens. Pages on this site can send them, but pages on other sites do not know them.
 *
 * A cookie holds a random ID. A token is a random salt that is signed together with that ID. A page on another site can
 * make the browser send the cookie, but it can read neither the cookie nor a token. The salt makes every token
 * different, so the length of a compressed page does not reveal anything about the token.
 *
 * @module
 */

import { noteClientBound } from "../../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { cookieHeaders } from "../../core/exchange/cookies.ts";
import { bodyOf, outermostExchange, valueOf } from "../../core/exchange/exchange.ts";
import { cookieFor } from "../../core/exchange/public_url.ts";
import { Key } from "../../core/exchange/values.ts";
import { isForm } from "../../http/body/source/body_type.ts";
import { readCookie, writeCookie } from "../../http/response/cookies.ts";
import type { Keys } from "../../state/keys/keys.ts";

/** Settings for creating and finding tokens. */
export interface TokenSettings {
  readonly keys: Keys;
  readonly field: string;
  readonly header: string;
  readonly bind: (ctx: Context) => string;
}

/** The lifetime of a token, in milliseconds. It limits how long a form can stay open. */
const lifetime = 12 * 3_600_000;
/** The settings of the middleware, and the context that it checks requests with. */
interface Prepared {
  readonly ctx: Context;
  readonly settings: TokenSettings;
}

const preparedKey: Key<Prepared> = Key<Prepared>("csrf");
const idKey: Key<string> = Key<string>("csrf id");

/** Makes the token available to the handlers and views of a request. */
export function prepareTokens(ctx: Context, settings: TokenSettings): void {
  ctx.Values().Set(preparedKey, { ctx, settings });
  ctx.ViewData("csrfField", () => Field(ctx));
}

/**
 * Returns a token for this client, for use in a header or a form field. Each call returns a different token, and all of
 * them are valid.
 *
 * @param ctx The request context.
 * @returns The token, or an empty string if the middleware has no keys.
 */
export function Token(ctx: Context): string {
  const prepared = valueOf(exchangeOf(ctx), preparedKey);
  if (prepared === undefined) return "";
  noteClientBound(ctx);
  const { settings } = prepared;
  return settings.keys.Sign(purposeOf(prepared.ctx, settings, idOf(ctx)), randomText(), lifetime);
}

/**
 * Returns a token for this client as a hidden form field.
 *
 * @param ctx The request context.
 * @returns The HTML, or an empty string if the middleware has no keys.
 */
export function Field(ctx: Context): string {
  const prepared = valueOf(exchangeOf(ctx), preparedKey);
  return prepared === undefined ? "" : `<input type="hidden" name="${prepared.settings.field}" value="${Token(ctx)}">`;
}

/** The reason why a request is rejected. */
export interface Refusal {
  readonly reason: string;
  /** Whether the client may see the reason. */
  readonly isPublic?: boolean;
}

/** The reason for a rejection, or `undefined` if the request is accepted. */
export type Verdict = Refusal | undefined;

const wrongToken: Refusal = { reason: "its token is invalid, has expired or belongs to another client" };

/** Checks whether a request contains a token that belongs to its cookie. */
export async function checkToken(ctx: Context, settings: TokenSettings): Promise<Verdict> {
  const { field, header, keys } = settings;
  const missing = { reason: `it has no token, neither in the header "${header}" nor in the form field "${field}"` };
  const token = ctx.GetHeader(header);
  if (token === "" && !isForm(ctx.GetHeader("content-type"))) return missing;
  const id = sentID(ctx);
  if (!isID(id)) return { reason: `it has no cookie "${cookieName(ctx)}", which is set with the token` };
  const purpose = purposeOf(ctx, settings, id);
  if (token !== "") return keys.Verify(purpose, token) === undefined ? wrongToken : undefined;
  return await checkField(ctx, settings, purpose, missing);
}

/** Looks for the token in a form. Files are not read, because the sender has not been verified yet. */
async function checkField(
  ctx: Context,
  { keys, field }: TokenSettings,
  purpose: string,
  missing: Refusal,
): Promise<Verdict> {
  const { values, isWhole } = await (await bodyOf(exchangeOf(ctx)).open()).leadingFields();
  const text = values[field]?.[0];
  if (text !== undefined) return keys.Verify(purpose, text) === undefined ? wrongToken : undefined;
  return isWhole ? missing : { reason: `the field "${field}" must come before the files`, isPublic: true };
}

/**
 * Returns the cookie name. The `__Host-` prefix prevents sibling subdomains from setting the cookie, but requires TLS.
 */
function cookieName(ctx: Context): string {
  return ctx.Scheme() === "https" ? "__Host-csrf" : "csrf";
}

/** Returns the ID in the cookie. The options that handlers have set for their own cookies do not apply to it. */
function sentID(ctx: Context): string {
  return readCookie(cookieHeaders(exchangeOf(ctx)), cookieName(ctx));
}

function idOf(ctx: Context): string {
  // A mounted application shares the cookie of the application around it.
  const { context } = outermostExchange(exchangeOf(ctx));
  const known = context.Values().Get(idKey) ?? sentID(ctx);
  if (isID(known)) return known;
  const id = randomText();
  context.Values().Set(idKey, id);
  const { draft, target } = exchangeOf(context);
  writeCookie(draft, cookieFor(target, cookieName(ctx), id, undefined), {});
  return id;
}

function purposeOf(ctx: Context, settings: TokenSettings, id: string): string {
  return `csrf:${id}:${settings.bind(ctx)}`;
}

function randomText(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toBase64({ alphabet: "base64url", omitPadding: true });
}

function isID(text: string): boolean {
  return /^[\w-]{22}$/.test(text);
}
