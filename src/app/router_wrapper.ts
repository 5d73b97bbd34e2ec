/**
 * What stands around the router.
 *
 * @module
 */

import type { ConnectionInfo } from "../context/client/peer_address.ts";

/**
 * What a request is taken for. As an argument of `next`, whatever is omitted stays as it was; as an argument of a
 * wrapper, it is what the wrappers before have chosen.
 */
export interface RouteTarget {
  /** The whole URL, as the platform writes it. */
  readonly URL?: string;
  /** The method, in capitals. */
  readonly Method?: string;
  /** The language that was cut off the path, as `app.I18n.PathRedirect` does. */
  readonly Language?: string;
}

/**
 * Wraps the serving of every request, before a route is looked for: it may respond itself, hand on another request,
 * have the router take the request for another, or change the response.
 */
export type RouterWrapper = (
  request: Request,
  next: (request: Request, target?: RouteTarget) => Response | Promise<Response>,
  connection?: ConnectionInfo,
  target?: RouteTarget,
) => Response | Promise<Response>;

/** Serves one request as if it had another URL or method. */
export type Serve = (
  request: Request,
  connection?: ConnectionInfo,
  target?: RouteTarget,
) => Response | Promise<Response>;
