/**
 * Runs other fetch-based applications inside this one.
 *
 * @module
 */

import { LazyModule, loadModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { ReverseProxyOptions } from "../../hosts/proxy/options.ts";
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
  return (ctx) => forward(ctx, fetch, { path: valuePath(exchangeOf(ctx).target), removed: "" });
}

/**
 * Creates a handler that forwards requests to another server, for example
 * `app.Party("/api").Any("/{path:path}", fw.Proxy("http://127.0.0.1:9000/v1"))`. The prefix of the party is replaced
 * by the path of the URL. Guards of the party run first.
 *
 * Bodies are streamed in both directions, and WebSockets are connected. Headers that belong to a connection are
 * removed. `X-Forwarded-For`, `-Host`, `-Proto` and `-Prefix` describe the client as this application sees it, so that
 * a client cannot forge them. Paths that other servers may read differently from the guards, such as those with a
 * semicolon, are refused with 400. If the server cannot be reached, the client receives 502, and 504 if it does not
 * respond in time. The reason is logged.
 *
 * @param url The URL of the server, without a query string.
 * @param options The timeouts, limits and headers.
 * @returns The handler.
 *
 * @example Forward requests
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const inner = Deno.serve({ port: 0, onListen() {} }, (request) => new Response(new URL(request.url).pathname));
 *
 * const app = fw.New();
 * app.Party("/api").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${inner.addr.port}/v1`));
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * await response.text(); // → "/v1/users/7"
 * await inner.shutdown();
 * ```
 */
export function Proxy(url: string | URL, options: ReverseProxyOptions = {}): Handler {
  const base = upstreamURL(url);
  let loaded: Promise<(ctx: Context, depth: number) => Promise<Response>> | undefined;
  return async function proxy(ctx) {
    loaded ??= loadModule(() => import("../../hosts/proxy/forward.ts")).then(({ forward, upstreamOf }) => {
      const upstream = upstreamOf(base, options);
      return (ctx, depth) => forward(ctx, upstream, depth);
    });
    const { prefix } = exchangeOf(ctx).route.party;
    return (await loaded)(ctx, prefix.split("/").filter((segment) => segment !== "").length);
  };
}

function upstreamURL(url: string | URL): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = base !== undefined && /^https?:$/.test(base.protocol) && base.search + base.hash === "";
  if (isPlain && base.username + base.password === "") return base;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot forward requests to "${url}": the URL must begin with http:// or https://, without credentials and a query`,
  );
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
