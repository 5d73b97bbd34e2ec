/**
 * Where in a request a token is found.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";

/**
 * Finds the token of a request. Returns an empty string if the request brings none; whatever else it returns must be a
 * valid token, also for a verifier that is `Optional`.
 */
export type TokenSource = (ctx: Context) => string;

/**
 * The header `Authorization: Bearer`, where programs send tokens.
 *
 * @param ctx The request.
 * @returns The token; an empty string if there is no such header, or if its scheme is another one. For a malformed
 *   header, such as `Bearer a b`, it returns a text that is not a token, so that the request is refused.
 */
export function FromHeader(ctx: Context): string {
  const header = ctx.GetHeader("authorization");
  if (header === "") return "";
  const token = /^bearer +([\w~+/.-]+=*) *$/i.exec(header)?.[1];
  return token ?? (isMeantAsToken(header) ? malformed : "");
}

const malformed = "malformed";

/** Reports whether a header brings a token in a wrong way: badly written, twice, or without its scheme. */
function isMeantAsToken(header: string): boolean {
  return /(?:^|,)\s*bearer(?![\w!#$%&'*+.^`|~-])/i.test(header) || /^[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(header);
}

/**
 * The sub-protocol `bearer.TOKEN` of a WebSocket handshake, where browsers can send a token: they let pages set no
 * header fields of a handshake. The sub-protocol is never part of the response.
 *
 * @param ctx The request.
 * @returns The token; an empty string if the request is not a handshake or offers no such sub-protocol.
 */
export function FromProtocol(ctx: Context): string {
  if (ctx.GetHeader("upgrade") === "") return "";
  const offered = ctx.GetHeader("sec-websocket-protocol").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length) ?? "";
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
