/**
 * Middleware that allows or denies requests by client IP address.
 *
 * The address is taken from `ctx.RemoteAddr()`. Behind a proxy, configure `fw.WithProxy`. Otherwise, every request has
 * the proxy's address.
 *
 * @example Restrict a route to the office network
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
 * @module
 */

import { formerly, func, texts } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { RecentMap } from "../base/data/recent_map.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { addressList } from "../base/text/addresses.ts";
import { noteClientBound } from "../core/context/client_bound.ts";
import type { Context } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { refuseWith } from "../core/context/refusal.ts";
import { noteFacts } from "../core/exchange/handler_facts.ts";
import { detached } from "../state/store/store.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The allowed addresses and networks, such as `10.0.0.0/8`. If omitted, all addresses are allowed. */
  Allow?: readonly string[];
  /** The denied addresses and networks. Takes precedence over `Allow`. */
  Deny?: readonly string[];
  /**
   * The handler that writes the response to denied requests. The status is 403 unless the handler sets another one. If
   * omitted, the response is a plain 403.
   */
  OnRefuse?: Handler;
}

/** The maximum number of cached results. Parsing an address takes 1 µs, and most requests come from a few addresses. */
const mostVerdicts = 4096;

const table = optionTable<Options>("middleware/ipfilter.Options", "ipfilter")({
  Allow: texts(),
  Deny: texts([]),
  OnRefuse: formerly("OnDeny", func()),
});

/**
 * Creates middleware that filters requests by client IP address. A request without an address, for example through a
 * unix socket, is denied if `Allow` is set.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If neither `Allow` nor `Deny` is set, or if an address is invalid.
 */
export function New(options: Options): Handler {
  const { Allow, Deny, OnRefuse } = readOptions(table, options);
  if (Allow === undefined && Deny.length === 0) {
    throw new FrameworkError("FW_CONFIG", "Cannot filter addresses: set Allow or Deny");
  }
  const allowed = Allow && addressList(Allow, "allowed address");
  const denied = addressList(Deny, "denied address");
  const verdicts = new RecentMap<boolean>({ most: mostVerdicts });

  function judge(address: string): boolean {
    const verdict = !denied.has(address) && (allowed === undefined || allowed.has(address));
    verdicts.set(detached(address), verdict);
    return verdict;
  }

  return noteFacts(function ipfilter(ctx: Context): ReturnType<Handler> {
    const address = ctx.RemoteAddr();
    if (verdicts.get(address) ?? judge(address)) return ctx.Next();
    // With a status such as 404, a cache around the guard would send the refusal to clients that are not refused.
    noteClientBound(ctx);
    return OnRefuse === undefined ? ctx.StopWithStatus(403) : refuseWith(ctx, 403, () => OnRefuse(ctx));
  }, { isGuard: OnRefuse === undefined, guard: "ipfilter" });
}
