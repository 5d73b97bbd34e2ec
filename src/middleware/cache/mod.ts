/**
 * Middleware that caches complete responses on the server, including status code, headers and body.
 *
 * It is a shared cache according to RFC 9111. It respects `Cache-Control`, `Vary` and `Authorization`, and never stores
 * a response that sets a cookie. Requests with credentials in a header or a cookie are served from the cache only if
 * the response is `public`. A response is never stored if the client was identified behind the cache, by a guard,
 * `Authorization`, a session or a cookie. If a guard around the cache has set the user, `public` responses are stored
 * and shared by all users who pass the guard.
 *
 * While one request fills an entry, other requests for it wait and share the result. A stale entry can still be served
 * while it is revalidated in the background. A write (POST, PUT, PATCH, DELETE) invalidates the cached responses for
 * its URL in all languages. The `Cache-Status` header shows whether a response came from the cache.
 *
 * Only the output of the handlers behind the cache is stored. Headers added by outer middleware, such as request IDs,
 * rate limits, cookies and CORS, are set for each client separately. A page that uses the nonce of a content security
 * policy or a CSRF token, or that was created for a user, is not stored. If your handlers depend on anything else in
 * the request, declare it in `Vary` or include it in `Key`. List custom headers that are meant for a single client in
 * `Omit`.
 *
 * If the store fails, hangs or returns invalid data, the request is treated as a cache miss and the failure is logged
 * once.
 *
 * @example Compute a page once per minute
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

import { callNow, isString } from "../../base/async/callback.ts";
import { bytes, flag, func, methods, milliseconds, texts, timeLimit } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { spellingsOf } from "../../core/exchange/languages.ts";
import { rootPath } from "../../core/exchange/public_url.ts";
import { encodePath } from "../../http/headers/canonical_path.ts";
import { checkHeaderName } from "../../http/headers/header.ts";
import { encodedPath, searchOf } from "../../http/headers/request_url.ts";
import { Cache } from "./cache.ts";
import { NewMemory, type Store } from "./store.ts";

export type { CachedResponse } from "./cached_response.ts";
export { FromStore, NewMemory, type Store } from "./store.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The default freshness lifetime of responses without `Cache-Control`, in milliseconds. With `0`, these responses are
   * not cached.
   *
   * @default {0}
   */
  MaxAge?: number;
  /**
   * The time for which a stale entry may be served while it is revalidated, in milliseconds. The revalidation request
   * runs the guards with the headers and request ID of the request that triggered it. It does not count against rate
   * limits and does not appear in access logs, metrics or traces.
   *
   * @default {0}
   */
  StaleFor?: number;
  /**
   * Returns the cache key. If the key is empty, the response is not cached. The same applies, with an error in the log,
   * if the function throws or does not return a string. If omitted, the key consists of the scheme,
   * host, path and query string. Responses with the same key are stored separately for each language that they depend
   * on, and for each API version that the client's headers or middleware around the cache choose.
   */
  Key?: (ctx: Context) => string;
  /** The store for cached responses. If omitted, up to 64 MiB of responses are cached in the memory of one thread. */
  Store?: Store;
  /**
   * The maximum time that a request waits for another request for the same page, in milliseconds. After that, it runs
   * the handlers itself.
   *
   * @default {5000}
   */
  MaxWait?: number;
  /** Response headers that are specific to a client and never stored, such as a custom request ID. */
  Omit?: readonly string[];
  /**
   * The maximum body size of a cached response, in bytes.
   *
   * @default {1048576}
   */
  MaxBody?: number;
  /**
   * Whether to ignore requests for a fresh response, so that a client cannot bypass the cache.
   *
   * @default {false}
   */
  IgnoreReload?: boolean;
}

const table = optionTable<Options>("middleware/cache.Options", "cache")({
  MaxAge: milliseconds(0),
  StaleFor: milliseconds(0),
  Key: func(),
  Store: methods("Get", "Set", "Delete"),
  MaxWait: timeLimit(5_000, { isPositive: false }),
  Omit: texts([]),
  MaxBody: bytes(1 << 20),
  IgnoreReload: flag(false),
});

/**
 * Creates the cache middleware.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options = {}): Handler {
  const { MaxAge, StaleFor, MaxBody, MaxWait, Omit, Key, Store = NewMemory(), IgnoreReload } = readOptions(
    table,
    options,
  );
  const cache = new Cache({
    maxAge: MaxAge,
    staleFor: StaleFor,
    maxBody: MaxBody,
    maxWait: MaxWait,
    omit: new Set(Omit.map((name) => checkHeaderName(name))),
    key: Key === undefined ? defaultKey : (ctx) => ownKey(ctx, Key),
    writeKeys: Key === undefined ? defaultWriteKeys : (ctx) => [ownKey(ctx, Key)],
    store: Store,
    ignoreReload: IgnoreReload,
  });
  return { cache: (ctx: Context) => cache.handle(ctx) }.cache;
}

/** Returns the key of the application. If it is not a string, pages might share a key, so nothing is cached. */
function ownKey(ctx: Context, key: (ctx: Context) => string): string {
  return callNow(() => key(ctx), isString, (reason) => {
    ctx.Logger().Error("Cannot use the option Key of cache:", reason);
    return "";
  });
}

/**
 * Returns the URL that handlers see. Behind a proxy, scheme and host come from headers. A page that contains a host
 * chosen by one client must not be served to other clients, and neither must the redirect from http to https. Behind
 * `rewrite`, the URL contains the new path, so that a write invalidates the cached responses of all paths that are
 * rewritten to it.
 */
function defaultKey(ctx: Context): string {
  return keyIn(ctx, exchangeOf(ctx).target.language);
}

/** Returns the keys of a URL in all languages, because a write changes the resource for all of them. */
function defaultWriteKeys(ctx: Context): readonly string[] {
  const tags = exchangeOf(ctx).runtime.languages?.catalog.tags ?? [];
  return ["", ...tags.flatMap(spellingsOf)].map((tag) => keyIn(ctx, tag));
}

/** Returns the cache key of a URL for a language. The language may be empty. */
function keyIn(ctx: Context, language: string): string {
  const { target, route } = exchangeOf(ctx);
  const last = route.template?.segments.at(-1);
  // A catch-all parameter keeps repeated slashes, so two spellings of a path can be different pages. The same is true
  // for another application that receives the path, at a mount or, without a route, by its host.
  const hasRest = last?.kind === "param" ? last.trailing : route.template === undefined;
  const path = hasRest && target.path !== "" ? encodePath(target.text) : encodedPath(target);
  const prefix = language === "" ? "" : `/${language}`;
  return `${ctx.Scheme()}://${ctx.Host()}${rootPath(target)}${prefix}${path}${searchOf(target)}`;
}
