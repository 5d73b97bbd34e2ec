/**
 * Where in a request a token is found.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";

/** Finds the token of a request; returns the empty text when it brings none. */
export type TokenSource = (ctx: Context) => string;

/**
 * The header `Authorization: Bearer`, where programs send tokens.
 *
 * @param ctx The request.
 * @returns The token, or the empty text.
 */
export function FromHeader(ctx: Context): string {
  return /^bearer +([\w~+/.-]+=*) *$/i.exec(ctx.GetHeader("authorization"))?.[1] ?? "";
}

/**
 * A cookie, where pages keep tokens out of the reach of scripts. Browsers send it by themselves, also for pages of
 * other sites: guard the routes with `csrf`.
 *
 * @param name The cookie.
 * @returns The source, for `From`.
 */
export function FromCookie(name: string): TokenSource {
  return (ctx) => ctx.GetCookie(name);
}

/**
 * A query parameter, for what can send no header. It ends up in logs and in the history of browsers: only for tokens
 * that are valid for moments.
 *
 * @param name The parameter.
 * @returns The source, for `From`.
 */
export function FromQuery(name: string): TokenSource {
  return (ctx) => ctx.URLParam(name);
}
