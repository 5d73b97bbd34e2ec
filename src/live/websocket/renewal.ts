/**
 * Expires and renews the identity of a connection. A renewal runs the handshake's guards again.
 *
 * @module
 */

import { returned } from "../../base/config/returned.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { outermostExchange } from "../../core/exchange/exchange.ts";
import { offeredProtocols } from "../../middleware/handshake.ts";
import type { Link } from "./link.ts";
import type { SessionSource } from "./options.ts";

/** The time before expiry at which a client is asked to renew its identity, in milliseconds. */
const WARNING_MS = 30_000;

/** An in-process handshake that renews an identity instead of opening a connection. */
interface Renewal {
  ctx: Context | undefined;
}

const renewals = new WeakMap<Request, Renewal>();

/** Handles a request that renews an identity. Reports whether the request is a renewal. */
export function takeRenewal(ctx: Context): boolean {
  const renewal = renewals.get(outermostExchange(exchangeOf(ctx)).request);
  if (renewal === undefined) return false;
  renewal.ctx = ctx;
  ctx.StatusCode(204);
  return true;
}

/**
 * Repeats a connection's handshake with another token, so that the same guards run again.
 *
 * @param link The connection.
 * @param token The new token, or an empty string to check the session again.
 * @returns The time until the identity expires, in milliseconds, or `-1` if it does not expire.
 */
export async function renew(link: Link, token: string): Promise<number> {
  // In a mounted application, the guards of the applications around it run again, too.
  const before = outermostExchange(exchangeOf(link.ctx));
  const headers = new Headers(exchangeOf(link.ctx).request.headers);
  if (token !== "") {
    // A token with other characters would make the header fields invalid.
    if (!/^[!-~]+$/.test(token)) throw new HTTPError(401, "The identity could not be renewed");
    headers.set("authorization", `Bearer ${token}`);
    const others = offeredProtocols(headers).filter((name) => !name.startsWith("bearer."));
    headers.set("sec-websocket-protocol", [...others, `bearer.${token}`].join(", "));
  }
  const request = new Request(before.request.url, { headers });
  const renewal: Renewal = { ctx: undefined };
  renewals.set(request, renewal);
  const remoteAddr = before.connection?.remoteAddr;
  const response = await before.runtime.host.fetch(request, remoteAddr === undefined ? undefined : { remoteAddr });
  await response.body?.cancel();
  const { ctx } = renewal;
  if (ctx === undefined || response.status !== 204) throw new HTTPError(401, "The identity could not be renewed");
  if (link.isEnded) throw new HTTPError(410, "The connection has ended");
  if (ctx.User()?.ID !== link.user?.ID) {
    link.close(4401, "Another user");
    throw new HTTPError(401, "Another user");
  }
  // The session has ended or has another ID, and the request has got a new session.
  if (!isSameIdentity(link, ctx)) throw new HTTPError(401, "The identity could not be renewed");
  return Number.isFinite(link.expiresAt) ? Math.max(0, link.expiresAt - Date.now()) : -1;
}

/**
 * Checks the identity of a request that belongs to a connection, and renews that of the connection.
 *
 * @returns Whether the request has the same user and session as the handshake.
 */
export function isSameIdentity(link: Link, ctx: Context): boolean {
  const user = ctx.User();
  if (user?.ID !== link.user?.ID) return false;
  if (link.sessionID !== "" && sessionIDOf(link, ctx) !== link.sessionID) return false;
  link.user = user;
  identify(link, ctx);
  if (!link.isEnded) link.host.watchIdentity(link);
  return true;
}

/** Records when a connection's identity expires. */
export function identify(link: Link, ctx: Context): void {
  const { Expires: expires, Sessions: sessions } = link.host.settings;
  link.sessionID = sessionIDOf(link, ctx);
  const bySession = link.sessionID === "" ? Infinity : Date.now() + (sessions?.Get(ctx)?.Remaining() ?? Infinity);
  const date = returned(expires(ctx), "Expires of a WebSocket server", isExpiry, "a valid date or undefined");
  link.expiresAt = Math.min(date?.getTime() ?? Infinity, bySession);
  link.isWarned = false;
}

function isSession(value: unknown): value is ReturnType<SessionSource["Get"]> {
  return value === null || typeof Object(value).IsNew === "function";
}

/** Reports whether a value is an expiry. With an invalid date, the identity would never expire. */
function isExpiry(value: unknown): value is Date | undefined {
  return value === undefined || value instanceof Date && !Number.isNaN(value.getTime());
}

/** Returns the ID of the handshake's session, or an empty string if there is none. A new session may be empty. */
function sessionIDOf(link: Link, ctx: Context): string {
  const session = returned(link.host.settings.Sessions?.Get(ctx) ?? null, "Get of Sessions", isSession, "a session");
  return session === null || session.IsNew() && session.Len() === 0 ? "" : session.ID();
}

/** Checks a connection's identity. The client is asked to renew it in time. Otherwise, the connection is closed. */
export function checkIdentity(link: Link): void {
  const left = link.expiresAt - Date.now();
  if (left <= 0) return link.close(4401, "The identity has expired");
  if (left > WARNING_MS || link.isWarned || !link.isOpen) return;
  link.isWarned = true;
  link.send(link.codec.expiring(Math.ceil(left)));
}
