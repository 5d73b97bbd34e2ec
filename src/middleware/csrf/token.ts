/**
 * Tokens against forgery: what a page of this site can send and a page of another cannot know.
 *
 * A random id lies in a cookie; a token is that id and a random salt, signed. A page of another site has the browser
 * send the cookie but cannot read it, nor a token. The salt makes every token another text, so that its length under
 * compression tells nothing of it.
 *
 * @module
 */

import { noteClientBound } from "../../context/client_bound.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { bodyOf } from "../../context/exchange.ts";
import { Key } from "../../context/values.ts";
import type { Keys } from "../../keys/keys.ts";

/** How tokens are created and brought. */
export interface TokenSettings {
  readonly keys: Keys;
  readonly field: string;
  readonly header: string;
  readonly bind: (ctx: Context) => string;
}

/** How long a token is valid, in milliseconds: as long as one leaves a form open. */
const lifetime = 12 * 3_600_000;
const settingsKey: Key<TokenSettings> = Key<TokenSettings>("csrf");
const idKey: Key<string> = Key<string>("csrf id");

/** Lets the handlers and the views of a request ask for its token. */
export function prepareTokens(ctx: Context, settings: TokenSettings): void {
  ctx.Values().Set(settingsKey, settings);
  ctx.ViewData("csrfField", () => fieldOf(ctx));
}

/** The token of a client, whom it gives the cookie if need be. */
export function tokenOf(ctx: Context): string {
  const settings = ctx.Values().Get(settingsKey);
  if (settings === undefined) return "";
  noteClientBound(ctx);
  return settings.keys.Sign(purposeOf(ctx, settings, idOf(ctx)), randomText(), lifetime);
}

/** The token as a hidden form field. */
export function fieldOf(ctx: Context): string {
  const settings = ctx.Values().Get(settingsKey);
  return settings === undefined ? "" : `<input type="hidden" name="${settings.field}" value="${tokenOf(ctx)}">`;
}

/** Whether a request is right, or why it is not. */
export type Verdict = boolean | string;

/** Reports whether a request brings a token that belongs to its cookie. */
export function hasToken(ctx: Context, settings: TokenSettings): Verdict | Promise<Verdict> {
  const id = ctx.GetCookie(cookieName(ctx));
  if (!isID(id)) return false;
  const purpose = purposeOf(ctx, settings, id);
  const token = ctx.GetHeader(settings.header);
  if (token !== "") return settings.keys.Verify(purpose, token) !== undefined;
  const type = ctx.GetHeader("content-type");
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(type)) return false;
  return fieldToken(ctx, settings, purpose);
}

/** Looks for the token in a form. No file of it is read: it is not known yet who sends it. */
async function fieldToken(ctx: Context, { keys, field }: TokenSettings, purpose: string): Promise<Verdict> {
  const { values, isWhole } = await bodyOf(exchangeOf(ctx)).leadingFields();
  const text = values[field]?.[0];
  if (text !== undefined) return keys.Verify(purpose, text) !== undefined;
  return isWhole ? false : `Cannot check the form: its field "${field}" must come before its files`;
}

/** The prefix keeps sibling subdomains from planting a cookie of theirs; browsers accept it over TLS only. */
function cookieName(ctx: Context): string {
  return ctx.Scheme() === "https" ? "__Host-csrf" : "csrf";
}

function idOf(ctx: Context): string {
  const known = ctx.Values().Get(idKey) ?? ctx.GetCookie(cookieName(ctx));
  if (isID(known)) return known;
  const id = randomText();
  ctx.Values().Set(idKey, id);
  ctx.SetCookie(cookieName(ctx), id);
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
