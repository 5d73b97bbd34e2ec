/**
 * The check of the `Host` header.
 *
 * Deno puts the header into the URL of a request as it is: `GET /public` with `Host: x/admin?` has the URL
 * `http://x/admin?/public`, and so would be served as `/admin`, whatever a proxy in front forbids. RFC 9112, 3.2
 * demands 400 for such a header.
 *
 * @module
 */

import { isHost } from "../../http/host_name.ts";
import { type LocatedPath, locatePath } from "../../http/request_url.ts";
import type { Serve } from "../router_wrapper.ts";

/**
 * Checks the header of requests, and remembers the last good one.
 *
 * Over a socket (tests/bench/candidates.ts) it costs what the platform takes to give the headers out: 2.8 of 20 µs with
 * one header, 4.7 with the seven of a browser, and nothing where a handler reads a header anyway. A slash in the header
 * leaves two in the URL, its own and that of the path, so URLs with one slash are not asked for it. No other shape
 * could spare it: every URL that the attack leads to is also the URL of an honest request.
 */
export class HostCheck {
  #host = "";

  /**
   * Reports whether a path is the one that was asked for.
   *
   * @param request The request.
   * @param place The path that is in doubt.
   * @returns False where the header is malformed, as one that moves the path is.
   */
  isGood(request: Request, place: LocatedPath): boolean {
    const host = request.headers.get("host");
    // Without a header the host comes from elsewhere: from the request line, or from the platform.
    if (host === null) return place.isHostGood;
    if (host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }
}

/** Puts the check before a function that looks at requests by itself. */
export function withHostCheck(serve: Serve): Serve {
  const check = new HostCheck();
  return function (request, info) {
    const place = locatePath(request.url);
    const isGood = !place.isDoubtful || check.isGood(request, place);
    return isGood ? serve(request, info) : malformedHost();
  };
}

/** The response to a malformed header. No handler runs: each would see a path that was not asked for. */
export function malformedHost(): Response {
  return new Response("Bad Request", { status: 400 });
}
