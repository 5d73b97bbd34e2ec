/**
 * Checks the `Host` header.
 *
 * Deno copies the header into the request URL without checking it. `GET /public` with `Host: x/admin?` has the URL
 * `http://x/admin?/public` and would be served as `/admin`, even if a reverse proxy forbids that path. RFC 9112,
 * section 3.2 requires status 400 for such a header.
 *
 * @module
 */

import { isHost } from "../../../http/headers/host_name.ts";
import { arrivedMethod } from "../../../http/headers/methods.ts";
import { type LocatedPath, PathLocator } from "../../../http/headers/path_locator.ts";
import type { Serve } from "../../context/router_wrapper.ts";
import { headerOf } from "../../exchange/request_header.ts";
import type { AppRoute } from "../build/compile_route.ts";

/** A request whose path is to be checked. */
interface Arrived {
  readonly request: Request;
  readonly connection: unknown;
}

/**
 * Checks the `Host` header of requests and caches the last valid one.
 *
 * A slash in the header produces two slashes in the URL, so the header is not read for URLs with a single slash. For
 * other requests, the check takes 2 of 22 µs over a socket, or no time if a handler reads a header anyway
 * (tests/bench/http.ts). The check is needed for all other URLs, because every URL that the attack produces is also the
 * URL of a legitimate request.
 */
export class HostCheck {
  #host = "";

  /**
   * Reports whether a path is the one that the client requested.
   *
   * @param arrived The request whose path is in doubt.
   * @param place The location of the path in the URL.
   * @param route The route that matches the path as it was sent, if there is one.
   * @returns `false` if the header is malformed. A header that changes the path is always malformed.
   */
  isGood({ request, connection }: Arrived, place: LocatedPath, route: AppRoute | undefined): boolean {
    const read = headerOf(request, connection === undefined || route === undefined || route.readsHeaders, "host");
    // Few clients omit the header, so if it seems to be missing, it is read again from the request itself.
    const host = read === null && connection !== undefined ? request.headers.get("host") : read;
    // If there is no header, the host comes from the request line or the platform.
    if (host === null) return place.isHostGood;
    if (host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }
}

/** Adds the check to a function that handles requests itself. */
export function withHostCheck(serve: Serve): Serve {
  const check = new HostCheck();
  const locator = new PathLocator();
  return function (request, connection) {
    // It explains arguments that are not requests, whose URL would only be undefined.
    arrivedMethod(request);
    const place = locator.locate(request.url);
    const isGood = !place.isDoubtful || check.isGood({ request, connection }, place, undefined);
    return isGood ? serve(request, connection) : malformedHost();
  };
}

/**
 * Returns the response for a malformed header. No handlers run, because they would see a path that was not requested.
 */
export function malformedHost(): Response {
  return new Response("Bad Request", { status: 400 });
}
