/**
 * Runs other fetch-based applications inside this one.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { func } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { encodePath } from "../../http/headers/canonical_path.ts";
import { encodedPath, rawPath } from "../../http/headers/request_url.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { RequestTarget } from "../exchange/request_target.ts";
import type { CutPath, ForeignFetch } from "./serve/forward.ts";

export type { ForeignFetch };

const forwarder = new LazyModule(() => import("./serve/forward.ts"));

/**
 * Creates a handler from a function that takes a `Request` and returns a `Response`. The request has the effective
 * method, URL and body. For example, it has the new path after a `rewrite`, and the client's scheme and host behind a
 * trusted proxy. The body limits of this application apply.
 *
 * @param fetch The function.
 * @returns The handler.
 *
 * @example Use a fetch function as a handler
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/time", fw.FromFetch(() => Response.json({ hours: 7 })));
 * const response = await app.fetch(new Request("http://localhost/time"));
 * await response.json(); // → { hours: 7 }
 * ```
 */
export function FromFetch(fetch: ForeignFetch): Handler {
  checkArgument(fetch, func(), "fetch", "FromFetch");
  return (ctx) => forward(ctx, fetch, { path: valuePath(exchangeOf(ctx).target), removed: "" });
}

/**
 * Passes requests to another application, removing the first segments of the path.
 *
 * @param depth The number of segments to remove.
 * @param fetch The application.
 */
export function mounted(depth: number, fetch: ForeignFetch): Handler {
  return function mount(ctx) {
    const path = encodedPath(exchangeOf(ctx).target);
    let start = 0;
    for (let at = 0; at < depth && start >= 0; at++) start = path.indexOf("/", start + 1);
    const removed = start < 0 ? path : path.slice(0, start);
    return forward(ctx, fetch, { path: path.slice(removed.length) || "/", removed });
  };
}

/**
 * Passes requests to another application that serves their host.
 *
 * @param fetch The application.
 * @param host The host that the application sees, with its port if there is one. Defaults to that of the request.
 * @param site The position of the application among the others that see this host.
 */
export function switched(fetch: ForeignFetch, host: string | undefined, site: string): Handler {
  return (ctx) => forward(ctx, fetch, { path: rawPath(exchangeOf(ctx).target), removed: "", host, site });
}

/** Returns the path including the repeated slashes that are part of parameter values. */
function valuePath(target: RequestTarget): string {
  return target.path === "" ? rawPath(target) : encodePath(target.text);
}

async function forward(ctx: Context, fetch: ForeignFetch, path: CutPath): Promise<Response> {
  return (forwarder.loaded ?? await forwarder.get()).forward(ctx, fetch, path);
}
