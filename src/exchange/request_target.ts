/**
 * The target of a request, determined once before routing.
 *
 * @module
 */

import { noSpans, type PathPlace } from "../http/request_url.ts";
import type { AppRuntime } from "./app_runtime.ts";
import { type OuterCall, outerCallOf } from "./peer/outer_call.ts";
import type { PassedConnection, PeerFacts, Sender } from "./peer/peer_address.ts";

/**
 * The target of a request: its method, URL, host, scheme and client address, both as received and as effective values.
 *
 * `request` and `connection` are unchanged. All other fields are effective values: wrappers such as `rewrite` and
 * `methodoverride` set the method and the URL, and trusted proxies set the host, the scheme and the client address. All
 * fw modules read the effective values, so that a guard never checks a different request from the one being served.
 */
export class RequestTarget implements PathPlace, Sender {
  // Declared rather than defined, because a field that the constructor assigns would be written twice in every request.
  declare readonly runtime: AppRuntime;
  declare readonly request: Request;
  declare connection: PassedConnection | undefined;
  declare readonly method: string;
  declare readonly url: string;
  declare readonly start: number;
  declare readonly end: number;
  declare text: string;
  path = "";
  /** The language prefix that was removed from the path, in the spelling that links use. Usually empty. */
  language = "";
  spans: readonly number[] = noSpans;
  // Determined on first use by the files in `peer/`.
  peer: PeerFacts | undefined = undefined;

  /**
   * Creates the target of a request.
   *
   * @param runtime The state that all requests of the application share.
   * @param request The request as it arrived.
   * @param connection The connection the request arrived on. In-process requests have none.
   * @param method The effective method.
   * @param url The effective URL.
   * @param path The location of the path in the URL.
   */
  // Separate parameters, because an options object would have to be created for every request.
  constructor(
    runtime: AppRuntime,
    request: Request,
    connection: PassedConnection | undefined,
    method: string,
    url: string,
    path: Pick<PathPlace, "start" | "end">,
  ) {
    this.runtime = runtime;
    this.request = request;
    this.connection = connection;
    this.method = method;
    this.url = url;
    this.start = path.start;
    this.end = path.end;
    this.text = url;
  }

  /** Returns the facts that an outer call has passed on, or `undefined` if the request was not made by fw. */
  get outer(): OuterCall | undefined {
    return outerCallOf(this.connection);
  }

  /**
   * Returns the part of the client's path that mounts have removed, including language prefixes. Every path for the
   * client begins with it.
   */
  get prefix(): string {
    return this.outer?.prefix ?? "";
  }
}
