/**
 * The check of the `Host` header.
 *
 * Deno puts the header into the URL of a request as it is: `GET /public` with `Host: x/admin?` has the URL
 * `http://x/admin?/public`, and so would be served as `/admin`, whatever a proxy in front forbids. RFC 9112, 3.2 demands
 * 400 for such a header.
 *
 * @module
 */

import type { ConnectionInfo } from "../context/client_address.ts";
import { isHost } from "../http/host.ts";

/**
 * Checks requests, and remembers what was good.
 *
 * Over a socket (tests/bench/candidates.ts) a URL with one slash costs nothing that could be measured. One with more costs
 * what the platform takes to give the headers out: 2.8 of 20 µs with one header, 4.7 with the seven of a browser, and
 * nothing where a handler reads a header anyway. No shape of the URL could spare it: every URL that the attack leads to is
 * also the URL of an honest request.
 */
export class HostCheck {
  /** The beginning of a URL whose host is good, up to its first slash. */
  #origin = "\0";
  #host = "";

  /**
   * Reports whether the path of a request is the one that was asked for.
   *
   * @param request The request.
   * @param url Its URL.
   * @param start The index of the first slash behind the host.
   * @returns False where the header has moved it, or is malformed in another way.
   */
  isGood(request: Request, url: string, start: number): boolean {
    if (!url.startsWith(this.#origin)) {
      if (!isHost(url.slice(url.indexOf("://") + 3, start))) return false;
      this.#origin = url.slice(0, start + 1);
    }
    // A slash in the header leaves two behind the host: its own, and that of the path. Most URLs have only one.
    if (url.indexOf("/", start + 1) < 0) return true;
    const host = request.headers.get("host");
    if (host === null || host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }
}

/** Serves one request. */
type Serve = (request: Request, info?: ConnectionInfo) => Response | Promise<Response>;

/** Puts the check before a function that looks at requests by itself. */
export function withHostCheck(serve: Serve): Serve {
  const check = new HostCheck();
  return function (request, info) {
    const { url } = request;
    const start = url.indexOf("/", url.indexOf("://") + 3);
    return start < 0 || check.isGood(request, url, start) ? serve(request, info) : malformedHost();
  };
}

/** The response to a malformed header. No handler runs: each would see a path that was not asked for. */
export function malformedHost(): Response {
  return new Response("Bad Request", { status: 400 });
}
