/**
 * The target of a request, determined once before routing.
 *
 * @module
 */

import { noSpans, type PathPlace } from "../../http/headers/request_url.ts";
import type { AppRuntime } from "./app_runtime.ts";
import { outerCallOf } from "./peer/outer_call.ts";
import type { PassedConnection, Sender } from "./peer/peer_address.ts";

/**
 * The target of a request: its method, URL, host, scheme and client address, both as received and as effective values.
 *
 * `request` and `connection` are unchanged. All other fields are effective values: wrappers such as `rewrite` and
 * `methodoverride` set the method and the URL, and trusted proxies set the host, the scheme and the client address. All
 * fw modules read the effective values, so that a guard never checks a different request from the one being served.
 */
export interface RequestTarget extends PathPlace, Sender {
  readonly runtime: AppRuntime;
  connection: PassedConnection | undefined;
  readonly method: string;
  /** The language prefix that was removed from the path, in the spelling that links use. Usually empty. */
  language: string;
  /**
   * The language of links, in their spelling, if a handler has chosen one for a request whose path has a language.
   * Otherwise, links keep `language`.
   */
  linkLanguage?: string;
}

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
// A literal is created in half the time of an instance with the same fields. The parameters are separate, because an
// options object would have to be created for every request.
export function newTarget(
  runtime: AppRuntime,
  request: Request,
  connection: PassedConnection | undefined,
  method: string,
  url: string,
  { start, end }: Pick<PathPlace, "start" | "end">,
): RequestTarget {
  return {
    runtime,
    request,
    connection,
    outer: connection === undefined ? undefined : outerCallOf(connection),
    method,
    url,
    start,
    end,
    text: url,
    path: "",
    language: "",
    spans: noSpans,
    // Determined on first use by the files in `peer/`.
    peer: undefined,
  };
}
