/**
 * Runs other fetch-based applications inside this one.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { func } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { collapseSlashes } from "../../http/headers/canonical_path.ts";
import { rawPath } from "../../http/headers/request_url.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { valuePath } from "../exchange/public_url.ts";
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
  const prefix = new RegExp(`^(?:/+[^/]+){${depth}}`);
  return function mount(ctx) {
    const path = valuePath(exchangeOf(ctx).target);
    const removed = prefix.exec(path)?.[0] ?? "";
    // A prefix such as "//m" would turn links into links to the host "m".
    return forward(ctx, fetch, {
      path: path.slice(removed.length).replace(/^\/*/, "/"),
      removed: collapseSlashes(removed),
    });
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

async function forward(ctx: Context, fetch: ForeignFetch, path: CutPath): Promise<Response> {
  return (forwarder.loaded ?? await forwarder.get()).forward(ctx, fetch, path);
}
