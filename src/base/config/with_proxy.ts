/**
 * The configurator for applications behind reverse proxies.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import type { Configurator } from "./config.ts";
import { listOf, oneOf, required, texts } from "./option_kinds.ts";
import { optionTable, readOptions } from "./option_table.ts";

/** A header that proxies use to forward information about the client. */
export type ForwardingHeader =
  | "X-Forwarded-For"
  | "X-Forwarded-Proto"
  | "X-Forwarded-Host"
  | "X-Forwarded-Prefix"
  | "Forwarded";

/** Options for {@linkcode WithProxy}. */
export interface ProxyOptions {
  /**
   * The addresses and networks of trusted proxies, such as `"10.0.0.5"`, `"10.0.0.0/8"` or `"::1"`. Use `"loopback"`
   * for this machine and `"private"` for all private networks. Peers on a Unix socket are always trusted; if the list
   * is empty, only they are.
   */
  Trust: readonly string[];
  /**
   * The headers that the proxies overwrite. List only headers that your proxies always set themselves: if a proxy
   * forwards a header unchanged, the client controls its value. Defaults to the four `X-Forwarded-` headers.
   */
  Take?: readonly ForwardingHeader[];
}

/** The configuration property for each header. */
const listsOfHeaders = {
  "X-Forwarded-For": ["RemoteAddrHeaders"],
  "X-Forwarded-Proto": ["SchemeProxyHeaders"],
  "X-Forwarded-Host": ["HostProxyHeaders"],
  "X-Forwarded-Prefix": ["PrefixProxyHeaders"],
  "Forwarded": ["RemoteAddrHeaders", "SchemeProxyHeaders", "HostProxyHeaders"],
} as const;

const table = optionTable<ProxyOptions>("ProxyOptions", "WithProxy")({
  Trust: required(texts()),
  Take: listOf(
    oneOf<ForwardingHeader, undefined>(undefined, ...Object.keys(listsOfHeaders) as ForwardingHeader[]),
    `the headers ${Object.keys(listsOfHeaders).join(", ")}`,
    ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix"],
  ),
});

/** The named networks. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
});

/**
 * Trusts the given proxies to report the client's address, the scheme, the requested host and the base path. They then
 * determine `ctx.RemoteAddr()`, `ctx.Scheme()`, `ctx.Host()`, generated links and Secure cookies. The base path is the
 * prefix that a proxy has removed from the path, `X-Forwarded-Prefix`. It is ignored unless it is a single path.
 *
 * If your proxy uses a different header, such as `CF-Connecting-IP`, set `RemoteAddrHeaders` and `TrustedProxies` with
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
 * @param options The trusted proxies and their headers.
 * @returns The configurator.
 */
export function WithProxy(options: ProxyOptions): Configurator {
  const { Trust, Take: headers } = readOptions(table, options);
  // `Forwarded` has no parameter for the prefix.
  if (headers.includes("Forwarded") && headers.some((name) => name !== "Forwarded" && name !== "X-Forwarded-Prefix")) {
    // If two headers describe the same hop, the proxy usually forwards one of them from the client without changing it.
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot combine "Forwarded" with other headers: a proxy sets one or the other',
    );
  }
  return function (config) {
    for (const header of headers) {
      for (const list of listsOfHeaders[header]) config[list] = [...config[list], header];
    }
    const trusted = Trust.flatMap((entry) => namedNetworks[entry] ?? [entry]);
    config.TrustedProxies = [...config.TrustedProxies, ...trusted];
    if (trusted.length === 0) config.TrustUnixPeersOnly = true;
  };
}
