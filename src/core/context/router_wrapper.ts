/**
 * The type of the functions that `app.WrapRouter` accepts.
 *
 * @module
 */

import type { ConnectionInfo } from "../exchange/peer/peer_address.ts";

/**
 * The URL and method that replace those of the request. As an argument of `next`, omitted members are not replaced. As
 * an argument of a wrapper, it contains the values set by earlier wrappers.
 */
export interface RouteTarget {
  /** The full URL. */
  readonly URL?: string;
  /** The method, in upper case. */
  readonly Method?: string;
  /** The host, with its port if there is one. It replaces the one that `ctx.Host()` would return. */
  readonly Host?: string;
  /** The language that was removed from the path because of `app.I18n.PathRedirect`. */
  readonly Language?: string;
}

/**
 * A function that wraps the router. It can respond itself, pass on another request, replace the URL or method that the
 * router sees, or change the response. `link` builds the URL that leads clients to a path of the application, including
 * the base path, the prefix of the mount and the language of the request. With a subdomain such as `www.`, or an empty
 * string for the root domain, the URL includes the scheme and host. `host` returns the host that the client requested.
 */
export type RouterWrapper = (
  request: Request,
  next: (request: Request, target?: RouteTarget) => Response | Promise<Response>,
  connection?: ConnectionInfo,
  target?: RouteTarget,
  link?: (path: string, subdomain?: string) => string,
  host?: () => string,
) => Response | Promise<Response>;

/** Serves a request, optionally under another URL or method. */
export type Serve = (
  request: Request,
  connection?: ConnectionInfo,
  target?: RouteTarget,
) => Response | Promise<Response>;
