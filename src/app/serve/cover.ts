/**
 * The middleware of the parties that own a path, for routes that lead there without spelling their prefixes.
 *
 * @module
 */

import { restoreSlashes } from "../../base/inner_slash.ts";
import type { RequestTarget } from "../../context/request_target.ts";
import { collapseSlashes, resolveDots } from "../../http/canonical_path.ts";
import { decodePath, lowerASCII } from "../../http/path.ts";
import { rawPath } from "../../http/request_url.ts";
import type { AppRoute } from "../compile_route.ts";
import type { Domain } from "../domain.ts";
import type { Owner, PrefixOwners } from "../prefix_owners.ts";

const hiddenBorder = /%2f|%5c|\\/i;

/**
 * Finds the form of a route for a path that is canonical as it stands.
 *
 * @param domain The routes of the request's host.
 * @param route The route, which reaches below prefixes that it does not spell.
 * @param target The request.
 */
export function coveredAsItStands(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  if (domain.owners === undefined || route.coverage === undefined) return route;
  return route.coverage.below(route, domain.owners.at(target.url, target.start, target.end));
}

/**
 * Finds the form of a route for a path whose canonical form is noted.
 *
 * @param domain The routes of the request's host.
 * @param route The route.
 * @param target The request.
 */
export function covered(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  if (domain.owners === undefined || route.coverage === undefined) return route;
  const isHidden = hiddenBorder.test(rawPath(target));
  if (!isHidden && !route.isReaching) return route;
  return route.coverage.below(route, ownersOf(domain.owners, target, isHidden));
}

function ownersOf(owners: PrefixOwners, target: RequestTarget, isHidden: boolean): readonly Owner[] {
  const { runtime: { config } } = target;
  const readings = isHidden ? readingsOf(target) : [target.path || rawPath(target)];
  const found = new Set<Owner>();
  for (const reading of readings) {
    const key = config.LowercaseRouting ? lowerASCII(reading) : reading;
    for (const owner of owners.at(key, 0, key.length)) found.add(owner);
  }
  return [...found].sort((a, b) => a.segments.length - b.segments.length);
}

/**
 * Everything that a path with escaped slashes or backslashes may mean to what serves it: the escaped slashes as data,
 * or as slashes within their segment, or as slashes that dots can cross, and all backslashes as slashes too, which they
 * are to a file system of Windows and to a URL parser. A party that owns one of them guards them all.
 */
function readingsOf(target: RequestTarget): string[] {
  const decoded = restoreSlashes(decodePath(rawPath(target)) ?? rawPath(target));
  const path = target.path || decoded;
  const readings = [path, restoreSlashes(path), decoded, decoded.replaceAll("\\", "/")];
  return [...new Set(readings.map((reading) => collapseSlashes(resolveDots(reading))))];
}
