/**
 * Languages in paths: `/el/users` is `/users` in Greek.
 *
 * @module
 */

import type { AppRuntime } from "../../context/app_runtime.ts";
import { decodePath } from "../../http/path.ts";
import { hostEnd } from "../../http/request_url.ts";
import type { Catalog } from "../../i18n/catalog.ts";
import type { RouterWrapper, RouteTarget } from "../../context/router_wrapper.ts";

/** A language, and optionally its script and region. Anything longer is a path of the program. */
const languageTag = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;
/** More than the escapes of the longest tag. */
const longest = 36;

/**
 * Cuts a language off the paths of requests, before a route is looked for: routes, guards, caches and logs see the path
 * without it.
 */
export function languagePaths(runtime: AppRuntime): RouterWrapper {
  return function languagePath(request, next, _connection, target) {
    const catalog = runtime.languages?.catalog;
    const meant = catalog === undefined ? undefined : withoutLanguage(target?.URL ?? request.url, catalog);
    return meant === undefined ? next(request) : next(request, meant);
  };
}

/** The URL without the language that its path begins with, or `undefined` if it begins with none. */
function withoutLanguage(url: string, catalog: Catalog): RouteTarget | undefined {
  const start = hostEnd(url);
  const [sent = "", segment = ""] = /^\/+([^/?#]+)/.exec(url.slice(start, start + longest + 2)) ?? [];
  if (segment === "" || segment.length > longest) return undefined;
  // Two spellings of one path must not take two routes.
  const tag = segment.includes("%") ? decodePath(segment) ?? "" : segment;
  if (!languageTag.test(tag) || catalog.find(tag) === undefined) return undefined;
  const rest = url.slice(start + sent.length);
  return { URL: `${url.slice(0, start)}${rest.startsWith("/") ? "" : "/"}${rest}`, Language: tag };
}
