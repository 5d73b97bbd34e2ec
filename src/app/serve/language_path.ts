/**
 * Handles language prefixes in paths. For example, `/el/users` is `/users` in Greek.
 *
 * @module
 */

import type { RouterWrapper, RouteTarget } from "../../context/router_wrapper.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import type { PassedConnection } from "../../exchange/peer/peer_address.ts";
import { decodePath } from "../../http/path.ts";
import { hostEnd } from "../../http/request_url.ts";
import type { Catalog } from "../../i18n/catalog.ts";

/**
 * Matches a language tag with an optional script and region. Longer segments are part of the application's own paths.
 */
const languageTag = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;
/** The maximum length of a segment to check. It is longer than the longest tag with escape sequences. */
const longest = 36;

/**
 * Removes the language from request paths before routing, so that routes, guards, caches and logs see the path without
 * it.
 */
export function languagePaths(runtime: AppRuntime): RouterWrapper {
  return function languagePath(request, next, connection: PassedConnection | undefined, target) {
    const bound = connection?.outer?.route;
    // The path of a bound call contains arguments, which are not languages.
    if (bound?.app === runtime) return next(request, { Language: bound.language });
    const catalog = runtime.languages?.catalog;
    const meant = catalog === undefined ? undefined : withoutLanguage(target?.URL ?? request.url, catalog);
    return meant === undefined ? next(request) : next(request, meant);
  };
}

/** Returns the URL without the language at the start of its path, or `undefined` if there is none. */
function withoutLanguage(url: string, catalog: Catalog): RouteTarget | undefined {
  const start = hostEnd(url);
  const [sent = "", segment = ""] = /^\/+([^/?#]+)/.exec(url.slice(start, start + longest + 2)) ?? [];
  if (segment === "" || segment.length > longest) return undefined;
  // Decode the segment, so that two spellings of a path cannot lead to two different routes.
  const tag = segment.includes("%") ? decodePath(segment) ?? "" : segment;
  if (!languageTag.test(tag) || catalog.find(tag) === undefined) return undefined;
  const rest = url.slice(start + sent.length);
  return { URL: `${url.slice(0, start)}${rest.startsWith("/") ? "" : "/"}${rest}`, Language: tag };
}
