/**
 * Middleware that lets only some addresses in, or keeps some out.
 *
 * @example An administration that only the office reaches
 * ```ts
 * import * as fw from "@fw/web";
 * import * as ipfilter from "@fw/web/middleware/ipfilter";
 *
 * const app = fw.New();
 * const admin = app.Party("/admin");
 * admin.Use(ipfilter.New({ Allow: ["192.0.2.0/24", "2001:db8::/32"], Deny: ["192.0.2.66"] }));
 * admin.Get("/", (ctx) => ctx.WriteString("welcome"));
 *
 * const from = async (hostname: string) => {
 *   const remoteAddr = { transport: "tcp", hostname, port: 50000 } as const;
 *   return (await app.fetch(new Request("http://localhost/admin"), { remoteAddr })).status;
 * };
 * [await from("192.0.2.7"), await from("192.0.2.66"), await from("198.51.100.1")]; // → [200, 403, 403]
 * ```
 *
 * The address is that of `ctx.RemoteAddr()`: behind a proxy, configure `fw.WithProxy`, or all requests come from the
 * proxy.
 *
 * @module
 */

import { addressList } from "../base/addresses.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Handler } from "../context/handler.ts";
import { detached } from "../store/key.ts";

/** Which addresses are let in. */
export interface Options {
  /** Addresses and networks that are let in, such as `10.0.0.0/8`; all when left out. */
  Allow?: readonly string[];
  /** Addresses and networks that are kept out, also where `Allow` names them. */
  Deny?: readonly string[];
  /** Responds to a request that is kept out, in place of a bare 403. */
  OnDeny?: Handler;
}

/** How many verdicts are remembered: reading an address costs 1 µs, and most requests come from few. */
const mostVerdicts = 4096;

/**
 * Creates the middleware. A request without an address, such as one by a unix socket, is not among the allowed.
 *
 * @param options Which addresses are let in.
 * @returns The middleware.
 */
export function New(options: Options): Handler {
  const { Allow, Deny = [], OnDeny = deny } = options;
  if (Allow === undefined && Deny.length === 0) {
    throw new FrameworkError("FW_CONFIG", "Cannot filter addresses: neither Allow nor Deny names one");
  }
  const allowed = Allow && addressList(Allow, "allowed address");
  const denied = addressList(Deny, "denied address");
  const verdicts = new Map<string, boolean>();

  function judge(address: string): boolean {
    const verdict = !denied.has(address) && (allowed === undefined || allowed.has(address));
    // All at once: the oldest of a Map is slow to find, and a flood of addresses would have it looked for every time.
    if (verdicts.size >= mostVerdicts) verdicts.clear();
    verdicts.set(detached(address), verdict);
    return verdict;
  }

  return function ipfilter(ctx) {
    const address = ctx.RemoteAddr();
    if (verdicts.get(address) ?? judge(address)) return ctx.Next();
    ctx.StopExecution();
    return OnDeny(ctx);
  };
}

const deny: Handler = function (ctx) {
  ctx.StopWithStatus(403);
};
