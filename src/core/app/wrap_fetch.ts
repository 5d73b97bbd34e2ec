/**
 * Wraps the function that serves requests in the router wrappers.
 *
 * @module
 */

import { arrivedMethod } from "../../http/headers/methods.ts";
import type { RouterWrapper, RouteTarget, Serve } from "../context/router_wrapper.ts";
import type { AppRuntime } from "../exchange/app_runtime.ts";
import { type ConnectionInfo, peerOf } from "../exchange/peer/peer_address.ts";
import { requestHost } from "../exchange/peer/request_host.ts";
import { linkTo, originAt } from "../exchange/public_url.ts";
import { newTarget, type RequestTarget } from "../exchange/request_target.ts";
import { withHostCheck } from "./serve/host_check.ts";

/** Wraps the serve function in the router wrappers. Returns it unchanged if there are no wrappers. */
export function wrapFetch(serve: Serve, runtime: AppRuntime, wrappers: readonly RouterWrapper[]): Serve {
  if (wrappers.length === 0) return serve;
  const wrapped = wrappers.reduce<Serve>((inner, wrapper) => {
    return function (request, connection, target) {
      arrivedMethod(request);
      const own = () => targetOf(runtime, request, connection, target);
      // Changes made by one wrapper also apply to the next one, unless the wrapper passes on another request.
      return wrapper(
        request,
        (other, more) =>
          inner(other, connection, target !== undefined && other === request ? { ...target, ...more } : more),
        connection,
        target,
        (path, subdomain) => (subdomain === undefined ? "" : originAt(own(), subdomain)) + linkTo(own(), path),
        () => requestHost(own()),
      );
    };
  }, serve);
  return runtime.config.HostCheck ? withHostCheck(wrapped) : wrapped;
}

/** Returns the request target that a wrapper sees. Only its language and its sender are known. */
function targetOf(
  runtime: AppRuntime,
  request: Request,
  connection: ConnectionInfo | undefined,
  { URL = request.url, Method = request.method, Language = "", Host }: RouteTarget = {},
): RequestTarget {
  const target = newTarget(runtime, request, connection, Method, URL, { start: 0, end: 0 });
  target.language = Language;
  if (Host !== undefined) peerOf(target).host = Host;
  return target;
}
