/**
 * Wraps the function that serves requests in the router wrappers.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { arrivedMethod } from "../../http/headers/methods.ts";
import { isResponse } from "../../http/response/platform_response.ts";
import type { RouterWrapper, RouteTarget, Serve } from "../context/router_wrapper.ts";
import type { AppRuntime } from "../exchange/app_runtime.ts";
import { type ConnectionInfo, peerOf } from "../exchange/peer/peer_address.ts";
import { requestHost } from "../exchange/peer/request_host.ts";
import { linkTo, originAt } from "../exchange/public_url.ts";
import { newTarget, type RequestTarget } from "../exchange/request_target.ts";
import type { Built } from "./build/build.ts";
import { createFetch, failedFetch } from "./serve/dispatch.ts";
import { withHostCheck } from "./serve/host_check.ts";

type Served = ReturnType<Serve>;

/**
 * Wraps the function that serves a built application in the router wrappers. Returns it unchanged if there are none.
 */
export function wrapFetch(built: Built, wrappers: readonly RouterWrapper[]): Serve {
  const serve = createFetch(built);
  if (wrappers.length === 0) return serve;
  const { runtime } = built;
  const wrapped = wrappers.reduce<Serve>((inner, wrapper) => {
    return function (request, connection, target) {
      arrivedMethod(request);
      const own = () => targetOf(runtime, request, connection, target);
      let passed: unknown;
      const call = () =>
        wrapper(
          request,
          // Changes made by one wrapper also apply to the next one, unless the wrapper passes on another request.
          (other, more) =>
            passed = inner(
              other,
              connection,
              target !== undefined && other === request ? { ...target, ...more } : more,
            ),
          connection,
          target,
          (path, subdomain) => (subdomain === undefined ? "" : originAt(own(), subdomain)) + linkTo(own(), path),
          () => requestHost(own()),
        );
      return attempt(call, (returned) => {
        if (!isResponse(returned)) drop(passed);
        return returned;
      }, (error) => {
        drop(passed);
        throw error;
      });
    };
  }, serve);
  const caught = withFailures(built, wrapped);
  return runtime.config.HostCheck ? withHostCheck(caught) : caught;
}

/** Responds to requests whose wrappers fail, so that `fetch` does so without a server, too. */
function withFailures(built: Built, serve: Serve): Serve {
  return function (request, connection) {
    // It throws if the argument is not a request, which is an error of the caller.
    arrivedMethod(request);
    const check = (returned: unknown) =>
      isResponse(returned) ? returned : failedFetch(built, request, connection, undefined, returned);
    return attempt(() => serve(request, connection), check, (error) => failedFetch(built, request, connection, error));
  };
}

/** Calls a function that may return a promise or throw, and passes on its result or its error. */
function attempt(
  call: () => Served,
  check: (returned: Response) => Served,
  fail: (error: unknown) => Served,
): Served {
  try {
    const returned = call();
    return isThenable(returned) ? returned.then(check, fail) : check(returned);
  } catch (error) {
    return fail(error);
  }
}

/** Cancels the response that a failed wrapper has received. Otherwise, nothing would end its source. */
function drop(passed: unknown): void {
  notify(async () => await (await passed as Response | undefined)?.body?.cancel(), () => {});
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
