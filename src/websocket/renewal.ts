/**
 * The identity of a connection over time: it expires, and is renewed by the guards of the handshake.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Link } from "./link.ts";

/** A handshake in process that renews an identity in place of opening a connection. */
interface Renewal {
  ctx: Context | undefined;
}

const renewals = new WeakMap<Request, Renewal>();

/** Takes a request that renews an identity; returns whether it is one. */
export function takeRenewal(ctx: Context): boolean {
  const renewal = renewals.get(exchangeOf(ctx).request);
  if (renewal === undefined) return false;
  renewal.ctx = ctx;
  ctx.StatusCode(204);
  return true;
}

/**
 * Runs the handshake of a connection again, with another token: the same guards decide.
 *
 * @param link The connection.
 * @param token The new token; empty to look at the session again.
 * @returns In how many milliseconds the identity expires; `-1` if it does not.
 */
export async function renew(link: Link, token: string): Promise<number> {
  const before = exchangeOf(link.ctx);
  const headers = new Headers(before.request.headers);
  if (token !== "") headers.set("authorization", `Bearer ${token}`);
  const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  headers.set("sec-websocket-protocol", protocols.filter((name) => !name.startsWith("bearer.")).join(", "));
  const request = new Request(before.request.url, { headers });
  const renewal: Renewal = { ctx: undefined };
  renewals.set(request, renewal);
  const remoteAddr = before.connection?.remoteAddr;
  const response = await link.ctx.Application().fetch(request, remoteAddr === undefined ? undefined : { remoteAddr });
  await response.body?.cancel();
  const { ctx } = renewal;
  if (ctx === undefined || response.status !== 204) throw new HTTPError(401, "The identity could not be renewed");
  const user = ctx.User();
  if (user?.ID !== link.user?.ID) {
    link.close(4401, "Another user");
    throw new HTTPError(401, "Another user");
  }
  link.user = user;
  identify(link, ctx);
  return Number.isFinite(link.expiresAt) ? Math.max(0, link.expiresAt - Date.now()) : -1;
}

/** Notes when the identity of a connection expires. */
export function identify(link: Link, ctx: Context): void {
  const { expires, sessions } = link.host.settings;
  const session = sessions?.Get(ctx) ?? null;
  link.sessionID = session === null || session.IsNew() ? "" : session.ID();
  link.expiresAt = expires(ctx)?.getTime() ?? Infinity;
  link.isWarned = false;
}
