/**
 * The configurator for an application behind proxies.
 *
 * @module
 */

import type { Configurator } from "./config.ts";
import { FrameworkError } from "./errors.ts";

/** A header by which proxies tell of the client. */
export type ForwardingHeader = "X-Forwarded-For" | "X-Forwarded-Proto" | "X-Forwarded-Host" | "Forwarded";

/** Which proxies stand in front of the application, and what they say. */
export interface ProxyOptions {
  /**
   * Addresses and networks of the proxies: `"10.0.0.5"`, `"10.0.0.0/8"`, `"::1"`; `"loopback"` for this machine,
   * `"private"` for all networks that are not on the internet. Peers on a unix socket are always trusted; an empty list
   * trusts only them.
   */
  Trust: readonly string[];
  /**
   * The headers that these proxies write themselves, whatever the client sent; the three that begin with `X-Forwarded-`
   * when left out. Name only those: one that a proxy passes on untouched is the client's word.
   */
  Take?: readonly ForwardingHeader[];
}

/** The list of the configuration that each header belongs to. */
const listsOfHeaders = {
  "X-Forwarded-For": ["RemoteAddrHeaders"],
  "X-Forwarded-Proto": ["SchemeProxyHeaders"],
  "X-Forwarded-Host": ["HostProxyHeaders"],
  "Forwarded": ["RemoteAddrHeaders", "SchemeProxyHeaders", "HostProxyHeaders"],
} as const;

/** Networks that have a name. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
});

/**
 * Trusts proxies: the client's address, its scheme and the host it asked for are then what they say, so that
 * `ctx.RemoteAddr()`, `ctx.Scheme()`, `ctx.Host()`, links and Secure cookies are right.
 *
 * For a proxy with a header of its own, such as `CF-Connecting-IP`, set `RemoteAddrHeaders` and `TrustedProxies` with
 * `fw.WithConfiguration`.
 *
 * @example Behind a proxy on the same machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithProxy({ Trust: ["loopback"] }));
 * app.Get("/", (ctx) => ctx.WriteString(`${ctx.RemoteAddr()} ${ctx.AbsoluteURI("/login")}`));
 *
 * const headers = {
 *   "x-forwarded-for": "203.0.113.7",
 *   "x-forwarded-proto": "https",
 *   "x-forwarded-host": "example.com",
 * };
 * const proxy = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50000 } } as const;
 * const response = await app.fetch(new Request("http://localhost/", { headers }), proxy);
 * await response.text(); // → "203.0.113.7 https://example.com/login"
 * ```
 *
 * @param options The proxies and their headers.
 * @returns The configurator.
 */
export function WithProxy(options: ProxyOptions): Configurator {
  const headers = options.Take ?? ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"];
  if (headers.includes("Forwarded") && headers.length > 1) {
    // Of two accounts of the same hop, one is mostly passed on as the client wrote it.
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot take "Forwarded" together with others: a proxy writes one or the other',
    );
  }
  return function (config) {
    for (const header of headers) {
      for (const list of listsOfHeaders[header]) config[list] = [...config[list], header];
    }
    const trusted = options.Trust.flatMap((entry) => namedNetworks[entry] ?? [entry]);
    config.TrustedProxies = [...config.TrustedProxies, ...trusted];
    if (trusted.length === 0) config.TrustUnixPeersOnly = true;
  };
}
