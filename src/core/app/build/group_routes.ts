/**
 * Groups routes that match the same requests. `overlap.ts` merges each group into one route, and is loaded only for
 * applications that need it.
 *
 * @module
 */

import { keyOf, RouteOverlap } from "../record/register_rule.ts";
import type { Registry, RouteRecord } from "../record/registry.ts";
import { selectorsOf } from "../record/route_selector.ts";

/** Reports whether several routes or error handlers of an application may apply to the same request. */
export function canOverlap({ routes, parties }: Registry): boolean {
  return routes.some(({ rule }) => rule === RouteOverlap) ||
    parties.some(({ rule, selector, errorHandlers }) =>
      rule === RouteOverlap || selector !== undefined || errorHandlers.values().some(({ length }) => length > 1)
    );
}

/**
 * Groups the routes that match the same requests. Routes that accept only some of the requests, such as those of one
 * API version, come before the others and do not replace each other.
 */
export function groupRoutes(records: readonly RouteRecord[]): readonly (readonly RouteRecord[])[] {
  if (!records.some((record) => record.rule === RouteOverlap || isSelective(record))) {
    return records.map((record) => [record]);
  }
  const groups: RouteRecord[][] = [];
  const byKey = new Map<string, RouteRecord[]>();
  for (const record of records) {
    const key = keyOf(record.route.Method, record.route.Subdomain, record.template);
    const group = byKey.get(key);
    const replaced = group?.some((other) => isSelective(other) === isSelective(record)) &&
      record.rule !== RouteOverlap;
    if (group !== undefined && !replaced) {
      group.push(record);
      continue;
    }
    const own = [...group?.filter((other) => isSelective(other) !== isSelective(record)) ?? [], record];
    byKey.set(key, own);
    groups.push(own);
  }
  return groups.map((group) => [...group.filter(isSelective), ...group.filter((record) => !isSelective(record))]);
}

/** Reports whether the party of a route serves only some requests, such as those of one version. */
export function isSelective(record: RouteRecord): boolean {
  return selectorsOf(record.party).length > 0;
}
