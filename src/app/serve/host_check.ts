/**
 * The check of the `Host` header.
 *
 * Deno puts the header into the URL of a request as it is: `GET /public` with `Host: x/admin?` has the URL
 * `http://x/admin?/public`, and so would be served as `/admin`, whatever a proxy in front forbids. RFC 9112, 3.2
 * demands 400 for such a header.
 *
 * @module
 */

import { ownHeader } from "../../context/request_header.ts";
import { isHost } from "../../http/host_name.ts";
import { type LocatedPath, PathLocator } from "../../http/path_locator.ts";
import type { AppRoute } from "../compile_route.ts";
import type { Serve } from "../../context/router_wrapper.ts";

/** A request whose path is to be checked. */
interface Arrived {
  readonly request: Request;
  readonly connection: unknown;
}

/**
 * Checks the header of requests, and remembers the last good one.
 *
 * A slash in the header leaves two in the URL, its own and that of the path, so URLs with one slash are not asked for
 * it; the others pay 2 of 22 µs over a socket, and nothing where a handler reads a header anyway (tests/bench/http.ts).
 * No other shape of the URL could spare it: every URL that the attack leads to is also the URL of an honest request.
 */
export class HostCheck {
  #host = "";

  /**
   * Reports whether a path is the one that was asked for.
   *
   * @param arrived The request, whose path is in doubt.
   * @param place What its URL shows.
   * @param route The route that the path leads to, if it leads to one as it stands.
   * @returns False where the header is malformed, as one that moves the path is.
   */
  isGood({ request, connection }: Arrived, place: LocatedPath, route: AppRoute | undefined): boolean {
    const read = ownHeader({ request, connection, route }, "host");
    // Few clients leave it out: that it is absent is asked for again, of the request itself.
    const host = read === null && connection !== undefined ? request.headers.get("host") : read;
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
  const locator = new PathLocator();
  return function (request, connection) {
    const place = locator.locate(request.url);
    const isGood = !place.isDoubtful || check.isGood({ request, connection }, place, undefined);
    return isGood ? serve(request, connection) : malformedHost();
  };
}

/** The response to a malformed header. No handler runs: each would see a path that was not asked for. */
export function malformedHost(): Response {
  return new Response("Bad Request", { status: 400 });
}
