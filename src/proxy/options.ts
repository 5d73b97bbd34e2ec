/**
 * The options of the reverse proxy.
 *
 * @module
 */

import type { Filled } from "../config/option_table.ts";
import type { Context } from "../context/context.ts";

/** Options for {@linkcode Proxy}. */
export interface ReverseProxyOptions {
  /**
   * Changes the headers of a request to the upstream server, for example to add the user. It runs after fw has removed
   * and set the headers that a proxy is responsible for.
   */
  readonly Headers?: (headers: Headers, ctx: Context) => void | Promise<void>;
  /**
   * The maximum time until the headers of the response arrive, in milliseconds. It starts again with each part of the
   * request body. After that, the client receives 504.
   *
   * @default {30000}
   */
  readonly Timeout?: number;
  /**
   * The maximum time between two parts of the response body, in milliseconds. After that, the response is broken off.
   * If 0, there is no limit, so that event streams may be quiet.
   *
   * @default {0}
   */
  readonly IdleTimeout?: number;
  /**
   * The maximum size of the response body, in bytes. A longer response is broken off, or 502 if its declared length
   * exceeds the limit. Request bodies have the limits of the application.
   *
   * @default {Infinity}
   */
  readonly MaxResponse?: number;
  /**
   * Whether to change `Location` and `Content-Location` headers that refer to the upstream server, so that they refer
   * to this application.
   *
   * @default {true}
   */
  readonly RewriteLocation?: boolean;
  /** The HTTP client, for example with the certificates of a private network. It is not used for WebSockets. */
  readonly Client?: Deno.HttpClient;
}

/** A proxy, as registered. */
export interface Upstream {
  /** The URL of the upstream server. */
  readonly base: URL;
  readonly settings: Filled<ReverseProxyOptions, "Headers" | "Client">;
}
