/**
 * The handshake: what a request must be like to become a connection.
 *
 * Deno accepts wrong versions and keys, splits sub-protocols at `, ` only and does not look at `Origin`.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Settings } from "./options.ts";

/** The sub-protocol of this package. */
export const LIVE_PROTOCOL = "fw.live.1";

/** A refused handshake. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The offered sub-protocols, in order. */
export function offeredProtocols(headers: Headers): string[] {
  return (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  );
}

/**
 * Checks a handshake.
 *
 * @param ctx The request.
 * @param headers Its header fields.
 * @param settings The origins that may connect.
 * @returns Why it is refused; `undefined` if it is in order.
 */
export function checkHandshake(ctx: Context, headers: Headers, settings: Settings): Refusal | undefined {
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
  return isAllowedOrigin(ctx, headers.get("origin"), settings)
    ? undefined
    : { status: 403, message: "Connections from this origin are not allowed" };
}

function hasToken(headers: Headers, name: string, token: string): boolean {
  return (headers.get(name) ?? "").split(",").some((each) => each.trim().toLowerCase() === token);
}

/** A page of another site would connect with the cookies of this one. Clients that are not browsers send no origin. */
function isAllowedOrigin(ctx: Context, origin: string | null, settings: Settings): boolean {
  if (origin === null || settings.isOrigin(origin)) return true;
  const url = URL.parse(origin);
  if (!settings.allowsSelf || url === null || url.origin !== origin) return false;
  // The platform leaves the default port out of an origin, and a client may write it into `Host`.
  return url.host === URL.parse(`${url.protocol}//${ctx.Host()}`)?.host;
}
