/**
 * Finds the middleware that applies to a path because of a party's prefix, even if the prefix is not part of the
 * route's own path.
 *
 * @module
 */

import { restoreSlashes } from "../../../base/text/path_value.ts";
import { collapseSlashes, resolveDots } from "../../../http/headers/canonical_path.ts";
import { decodePath, lowerASCII } from "../../../http/headers/path.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";
import type { AppRoute } from "../build/compile_route.ts";
import type { Domain } from "../build/domain.ts";
import type { OwnedPrefix, PrefixOwners } from "../build/prefix_owners.ts";

const hiddenBorder = /%2f|%5c|\\/i;

/**
 * Returns the variant of a route for a path that is already canonical.
 *
 * @param domain The routes of the request's host.
 * @param route The route. It can match paths below prefixes that are not part of its own path.
 * @param target The request.
 */
export function coveredCanonical(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  if (domain.owners === undefined || route.coverage === undefined) return route;
  return route.coverage.below(route, domain.owners.at(target.url, target.start, target.end));
}

/**
 * Returns the variant of a route for a path whose canonical form is known.
 *
 * @param domain The routes of the request's host.
 * @param route The route.
 * @param target The request.
 */
export function covered(domain: Domain, route: AppRoute, target: RequestTarget): AppRoute {
  if (domain.owners === undefined || route.coverage === undefined) return route;
  const isHidden = hiddenBorder.test(rawPath(target));
  if (!isHidden && !route.isReaching) return route;
  return route.coverage.below(route, prefixesOf(domain.owners, target, isHidden));
}

function prefixesOf(owners: PrefixOwners, target: RequestTarget, isHidden: boolean): readonly OwnedPrefix[] {
  const { runtime: { config } } = target;
  const readings = isHidden ? readingsOf(target) : [target.path || rawPath(target)];
  const found = new Set<OwnedPrefix>();
  for (const reading of readings) {
    const key = config.LowercaseRouting ? lowerASCII(reading) : reading;
    for (const prefix of owners.at(key, 0, key.length)) found.add(prefix);
  }
  return [...found].sort((a, b) => a.segments.length - b.segments.length);
}

/**
 * Returns all possible interpretations of a path with escaped slashes or backslashes. Escaped slashes may be data,
 * slashes within their segment, or slashes that dot segments can cross. Backslashes may also be slashes, because
 * Windows file systems and URL parsers treat them as such. If a party's prefix matches one of the interpretations, the
 * party's middleware applies to the request.
 */
function readingsOf(target: RequestTarget): string[] {
  const decoded = restoreSlashes(decodePath(rawPath(target)) ?? rawPath(target));
  const path = target.path || decoded;
  const readings = [path, restoreSlashes(path), decoded, decoded.replaceAll("\\", "/")];
  return [...new Set(readings.map((reading) => collapseSlashes(resolveDots(reading))))];
}
