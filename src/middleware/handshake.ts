/**
 * Validates WebSocket handshakes.
 *
 * Deno accepts wrong versions and keys, splits subprotocols only at `, ` and does not check `Origin`.
 *
 * @module
 */

import type { Context } from "../core/context/context.ts";
import { ownHosts } from "../core/context/own_hosts.ts";
import { originTest } from "./origins.ts";

/** The name of fw's own subprotocol. */
export const LIVE_PROTOCOL = "fw.live.1";

/** The response to a refused handshake. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The origins that may connect. */
export interface OriginRule {
  readonly isOrigin: (origin: string) => boolean;
  /** Whether the hosts of the application itself are allowed. */
  readonly allowsSelf: boolean;
}

/** Returns the rule for a list of origins, `"self"` and `"*"`. */
export function originRule(origins: readonly string[]): OriginRule {
  const listed = origins.filter((origin) => origin !== "self" && origin !== "*");
  return {
    isOrigin: origins.includes("*") ? () => true : originTest(listed),
    allowsSelf: origins.includes("self"),
  };
}

/** Returns the offered subprotocols, in order. */
export function offeredProtocols(headers: Headers): string[] {
  return (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  );
}

/**
 * Checks a handshake.
 *
 * @param ctx The request context.
 * @param headers The request's header fields.
 * @param rule The allowed origins.
 * @returns The refusal, or `undefined` if the handshake is valid.
 */
export function checkHandshake(ctx: Context, headers: Headers, rule: OriginRule): Refusal | undefined {
  const isUpgrade = hasToken(headers, "upgrade", "websocket") && hasToken(headers, "connection", "upgrade");
  if (ctx.Method() !== "GET" || !isUpgrade) {
    return {
      status: 426,
      message: "This path serves WebSocket connections",
      headers: { upgrade: "websocket", connection: "upgrade" },
    };
  }
  if (headers.get("sec-websocket-version") !== "13") {
    return { status: 426, message: "Unsupported WebSocket version", headers: { "sec-websocket-version": "13" } };
  }
  if (!/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(headers.get("sec-websocket-key") ?? "")) {
    return { status: 400, message: "Malformed Sec-WebSocket-Key" };
  }
  if (!/^[!#$%&'*+.^_`|~\w,\s-]*$/.test(headers.get("sec-websocket-protocol") ?? "")) {
    return { status: 400, message: "Malformed Sec-WebSocket-Protocol" };
  }
  return isAllowedOrigin(ctx, headers.get("origin"), rule)
    ? undefined
    : { status: 403, message: "Connections from this origin are not allowed" };
}

function hasToken(headers: Headers, name: string, token: string): boolean {
  return (headers.get(name) ?? "").split(",").some((each) => each.trim().toLowerCase() === token);
}

/**
 * Reports whether an origin may connect. Without this check, pages on other sites could connect with the user's
 * cookies. Clients other than browsers do not send an origin.
 */
export function isAllowedOrigin(ctx: Context, origin: string | null, rule: OriginRule): boolean {
  if (origin === null || rule.isOrigin(origin)) return true;
  const url = URL.parse(origin);
  if (!rule.allowsSelf || url === null || url.origin !== origin) return false;
  // Anyone on the network can change a page that was sent without TLS.
  if (ctx.Scheme() === "https" && url.protocol === "http:") return false;
  // An origin omits the default port, but a client may include it in `Host`.
  return ownHosts(ctx).some((host) => url.host === URL.parse(`${url.protocol}//${host}`)?.host);
}
