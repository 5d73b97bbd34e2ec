/**
 * The sources of tokens in a request.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";

/**
 * Returns the token of a request, or an empty string if there is none. If the result is not empty, it must be a valid
 * token, even if the verifier is `Optional`.
 */
export type TokenSource = (ctx: Context) => string;

/**
 * Reads the token from the `Authorization: Bearer` header.
 *
 * @param ctx The request context.
 * @returns The token, or an empty string if the header is missing or has another scheme. If the header is malformed,
 *   such as `Bearer a b`, returns a string that is not a token, so that the request is rejected.
 */
export function FromHeader(ctx: Context): string {
  const header = ctx.GetHeader("authorization");
  if (header === "") return "";
  const token = /^bearer +([\w~+/.-]+=*) *$/i.exec(header)?.[1];
  return token ?? (isMeantAsToken(header) ? malformed : "");
}

const malformed = "malformed";

/** Reports whether a header contains a token in the wrong form: malformed, repeated or without its scheme. */
function isMeantAsToken(header: string): boolean {
  return /(?:^|,)\s*bearer(?![\w!#$%&'*+.^`|~-])/i.test(header) || /^[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(header);
}

/**
 * Reads the token from the `bearer.TOKEN` subprotocol of a WebSocket handshake, because browsers do not allow pages to
 * set the headers of a handshake. The subprotocol is never included in the response.
 *
 * @param ctx The request context.
 * @returns The token, or an empty string if the request is not a handshake or offers no such subprotocol.
 */
export function FromProtocol(ctx: Context): string {
  if (ctx.GetHeader("upgrade") === "") return "";
  const offered = ctx.GetHeader("sec-websocket-protocol").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length) ?? "";
}

/**
 * Creates a source that reads the token from a cookie, which scripts cannot access. Browsers also send cookies with
 * requests from other sites, so protect the routes with `csrf`.
 *
 * @param name The cookie name.
 * @returns The source, for `From`.
 */
export function FromCookie(name: string): TokenSource {
  return (ctx) => ctx.GetCookie(name);
}

/**
 * Creates a source that reads the token from a query parameter, for clients that cannot send headers. Query strings
 * appear in logs and in the browser history, so use it only for very short-lived tokens.
 *
 * @param name The parameter name.
 * @returns The source, for `From`.
 */
export function FromQuery(name: string): TokenSource {
  return (ctx) => ctx.URLParam(name);
}
