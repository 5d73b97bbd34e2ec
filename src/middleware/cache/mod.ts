/**
 * Middleware that keeps whole responses on the server: status, headers and body.
 *
 * It is a shared cache by RFC 9111: `Cache-Control`, `Vary` and `Authorization` are honoured, and a response with a
 * cookie is never kept. A request that carries credentials, by header or by cookie, is served from the cache only if
 * the response calls itself `public`. While one request fills an entry, others for it wait and share what it gets. An
 * entry that is no longer fresh may still be served while it is renewed in the background. A write (POST, PUT, PATCH,
 * DELETE) to a URL forgets what was kept for it. `Cache-Status` says what happened.
 *
 * Only what the handlers behind the cache produced is stored. Headers that middleware around it adds, before or after,
 * are that middleware's for this client alone: request ids, rate limits, cookies, CORS. A page that used the nonce of a
 * content security policy or a CSRF token, or that was created for a user, is not stored. If your handlers depend on
 * anything else of the request, say so by `Vary`, or put it into `Key`; list headers of your own that are meant for one
 * client in `Omit`.
 *
 * A store that is down, hangs or returns nonsense is a cache miss: the page is served, and one line is logged.
 *
 * @example A page that is computed once per minute
 * ```ts
 * import * as fw from "@fw/web";
 * import * as cache from "@fw/web/middleware/cache";
 *
 * let runs = 0;
 * const app = fw.New();
 * app.Get("/report", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.WriteString(`run ${++runs}`));
 *
 * for (let visit = 0; visit < 3; visit++) {
 *   const response = await app.fetch(new Request("http://localhost/report"));
 *   await response.text(); // → "run 1"
 * }
 * ```
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { encodePath } from "../../http/canonical_path.ts";
import { checkHeaderName } from "../../http/header.ts";
import { encodedPath, searchOf } from "../../http/request_url.ts";
import { Cache } from "./cache.ts";
import { NewMemory, type Store } from "./store.ts";

export type { CachedResponse } from "./cached_response.ts";
export { FromStore, NewMemory, type Store } from "./store.ts";

/** What is kept, where and for how long. */
export interface Options {
  /** How long a response is fresh that does not say so itself, in milliseconds; such ones are not kept unless given. */
  MaxAge?: number;
  /** How long an entry may still be served after that, while it is renewed, in milliseconds; 0 unless given. */
  StaleFor?: number;
  /** What a response is kept under; scheme, host and path with the query unless given. An empty key keeps it out. */
  Key?: (ctx: Context) => string;
  /** Where entries are kept; in memory, 64 MiB at most, unless given. */
  Store?: Store;
  /**
   * How long a request waits for another one that creates the same page, in milliseconds. Then it runs the handlers
   * itself.
   *
   * @default {5000}
   */
  MaxWait?: number;
  /** Response headers that are for one client and never stored, such as an id of your own. */
  Omit?: readonly string[];
  /** The largest body that is kept, in bytes; 1 MiB unless given. */
  MaxBody?: number;
  /** True to serve from the cache also where a client asks for a fresh response: one client cannot make others wait. */
  IgnoreReload?: boolean;
}

/**
 * Creates the middleware.
 *
 * @param options What is kept, where and for how long.
 * @returns The handler.
 */
export function New(options: Options = {}): Handler {
  const { MaxAge = 0, StaleFor = 0, MaxBody = 1 << 20, MaxWait = 5000 } = options;
  for (const [name, value] of Object.entries({ MaxAge, StaleFor, MaxBody, MaxWait })) {
    if (!(value >= 0 && Number.isFinite(value))) {
      throw new FrameworkError("FW_CONFIG", `Cannot cache with "${name}" of "${value}": it is not a number from 0 up`);
    }
  }
  const cache = new Cache({
    maxAge: MaxAge,
    staleFor: StaleFor,
    maxBody: MaxBody,
    maxWait: MaxWait,
    omit: new Set(options.Omit?.map((name) => checkHeaderName(name))),
    key: options.Key ?? defaultKey,
    store: options.Store ?? NewMemory(),
    ignoreReload: options.IgnoreReload === true,
  });
  return (ctx) => cache.handle(ctx);
}

/**
 * The URL that handlers see. Behind a proxy scheme and host come from headers, and a page that names a host which one
 * client chose must not be given to others, nor the redirect from http to https to those who came by https. Behind
 * `rewrite` it has the new path, so that a write to one path forgets what was kept under another that leads there.
 */
function defaultKey(ctx: Context): string {
  const { target, route } = exchangeOf(ctx);
  // The rest of a path keeps its repeated slashes, so two spellings may be two pages.
  const path = route.takesRest && target.path !== "" ? encodePath(target.text) : encodedPath(target);
  return `${ctx.Scheme()}://${ctx.Host()}${path}${searchOf(target)}`;
}
