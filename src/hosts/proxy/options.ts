/**
 * The options of the reverse proxy.
 *
 * @module
 */

import type { Filled } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import type { OriginRule } from "../../middleware/handshake.ts";

/** Options for {@linkcode Proxy}. */
export interface ReverseProxyOptions {
  /**
   * Changes the headers of requests to the upstream server, for example to add the user. Called after fw has removed
   * and set the headers that a proxy is responsible for.
   */
  readonly Headers?: (headers: Headers, ctx: Context) => void | Promise<void>;
  /**
   * The maximum time to wait for the response headers, in milliseconds. The timer restarts with each chunk of the
   * request body. If the time limit is exceeded, responds with 504.
   *
   * @default {30000}
   */
  readonly Timeout?: number;
  /**
   * The maximum time between two chunks of the response body, in milliseconds. If it is exceeded, the response is
   * aborted. If 0, there is no limit, so event streams can stay idle.
   *
   * @default {0}
   */
  readonly IdleTimeout?: number;
  /**
   * The maximum size of the response body, in bytes. A larger response is aborted. If its declared length already
   * exceeds the limit, responds with 502. The application's limits apply to request bodies.
   *
   * @default {Infinity}
   */
  readonly MaxResponse?: number;
  /**
   * Whether to rewrite `Location` and `Content-Location` headers that point to the upstream server, so that they point
   * to this application. A path that already begins with the `X-Forwarded-Prefix` of the request is public, because the
   * upstream server has added the prefix. If it ignores the prefix and has the same path itself, delete the header in
   * `Headers`.
   *
   * @default {true}
   */
  readonly RewriteLocation?: boolean;
  /**
   * The origins that may open WebSockets: `"self"`, `"*"`, `https://shop.example` or `https://*.shop.example`. Clients
   * other than browsers do not send an origin and are always allowed.
   *
   * @default {["self"]}
   */
  readonly Origins?: readonly string[];
  /** The HTTP client, for example one with the certificates for a private network. It is not used for WebSockets. */
  readonly Client?: Deno.HttpClient;
}

/** The options with their defaults. */
export type ProxySettings = Filled<ReverseProxyOptions, "Headers" | "Client">;

/** A proxy, as registered. */
export interface Upstream {
  /** The URL of the upstream server. */
  readonly base: URL;
  readonly settings: ProxySettings;
  /** The origins that may open WebSockets. */
  readonly origins: OriginRule;
}
