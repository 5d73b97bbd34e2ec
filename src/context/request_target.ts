/**
 * What a request is about, decided once and before routing.
 *
 * @module
 */

import { noSpans, type PathPlace } from "../http/request_url.ts";
import type { AppRuntime } from "./app_runtime.ts";
import type { ConnectionInfo, Sender } from "./client/peer_address.ts";

/**
 * The target of a request: its method, URL, host, scheme and client address, as they arrived and as they are meant.
 *
 * `request` and `connection` are what arrived. Everything else is what is meant: wrappers such as `rewrite` and
 * `methodoverride` choose the method and the URL, trusted proxies the host, the scheme and the client's address. All
 * parts of fw read what is meant, so that no guard decides about another request than the one that is served.
 */
export class RequestTarget implements PathPlace, Sender {
  readonly runtime: AppRuntime;
  readonly request: Request;
  connection: ConnectionInfo | undefined;
  readonly method: string;
  readonly url: string;
  readonly start: number;
  readonly end: number;
  text: string;
  path = "";
  /** The language that was cut off the path, as it was sent; mostly empty. */
  language = "";
  spans: readonly number[] = noSpans;
  // Found out when they are first read, by the files of `client/`.
  host: string | undefined = undefined;
  scheme: "http" | "https" | undefined = undefined;
  address: string | undefined = undefined;

  /**
   * Creates the target of a request.
   *
   * @param runtime What all requests of the application share.
   * @param request The request as it arrived.
   * @param connection The connection that it arrived by; a request in process has none.
   * @param method The method that is meant.
   * @param url The URL that is meant.
   * @param path Where the path lies in the URL.
   */
  // One by one and not as a record, which every request would have to create.
  constructor(
    runtime: AppRuntime,
    request: Request,
    connection: ConnectionInfo | undefined,
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
}
