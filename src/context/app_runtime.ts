/**
 * What all requests of one built application share.
 *
 * @module
 */

import type { AddressList } from "../base/addresses.ts";
import type { Configuration } from "../base/config.ts";
import type { Host } from "../base/host.ts";
import type { PathValue, ReversedPath } from "../base/path_value.ts";
import type { BodyLimits } from "../body/body_limits.ts";
import type { Languages } from "./languages.ts";
import type { Meter } from "./meter.ts";
import type { RouteInfo } from "./route_info.ts";

/** The part of a built application that requests read. */
export interface AppRuntime {
  readonly host: Host;
  readonly config: Readonly<Configuration>;
  readonly proxies: AddressList;
  readonly limits: BodyLimits;
  /** The same without a clock: a caller in process needs no patience, and a deadline costs some microseconds. */
  readonly localLimits: BodyLimits;
  /** The content type of text; empty where the platform's own is right. */
  readonly textType: string;
  readonly htmlType: string;
  /**
   * Whether `Run` or `deno serve` serve the application and none of its servers speaks TLS; else URLs tell the scheme.
   */
  isPlain: boolean;
  /** Aborted when a shutdown begins; a new one when the application is run again. */
  leaving: AbortController;
  /** Aborted when a shutdown cuts off what still runs; a new one when the application is run again. */
  cutOff: AbortController;
  /**
   * Closes connections that are not requests any more, such as those of WebSockets, until a moment on the clock of
   * `performance.now()`; run when a shutdown begins, while requests are still served.
   */
  readonly drains: Set<(until: number) => Promise<void>>;
  /** The numbers that parts beside requests count. */
  readonly meters: Set<Meter>;
  /** Writes the page of an error for its developer; set while the application is built, and only with `Development`. */
  developmentPage: ((failure: ServedFailure) => string) | undefined;
  /** Tells the observers of `app.OnError` of a failure, given the request's context; `undefined` if there are none. */
  onError: ((context: unknown, error: Error) => void) | undefined;
  /** Builds a path by the name of a route; set while the application is built. */
  reverse: ((name: string, values: readonly PathValue[]) => ReversedPath) | undefined;
  /** Runs another route inside of a handler, given its context; set while the application is built. */
  exec: ((context: unknown, method: string, path: string) => Promise<void> | undefined) | undefined;
  /** The translations; set when the application is built with any. */
  languages: Languages | undefined;
}

/** What is told of a request that failed. */
export interface ServedFailure {
  readonly status: number;
  readonly title: string;
  readonly error: Error | undefined;
  readonly request: Request;
  readonly path: string;
  readonly route: RouteInfo | undefined;
  /** The handlers of the chain, in order. */
  readonly chain: readonly { readonly name: string }[];
}
