/**
 * Finds the routes that serve requests among those that match the same requests.
 *
 * @module
 */

import { groupRoutes, isSelective } from "../build/group_routes.ts";
import { keyOf } from "../record/register_rule.ts";
import type { RouteRecord } from "../record/registry.ts";
import { selectorsOf } from "../record/route_selector.ts";

/** Returns the routes that accept the given kind of request, such as requests for one API version. */
export function routesServing(records: readonly RouteRecord[], kind: string): readonly RouteRecord[] {
  return groupRoutes(records).flatMap((group) => {
    const serving = group.filter((record) => selectorsOf(record.party).every((selector) => selector.serves(kind)));
    const selected = serving.filter(isSelective);
    return selected.length > 0 ? selected : serving;
  });
}

/** Returns the routes that can serve requests. These are all except for those that later routes replace. */
export function reachableRoutes(records: readonly RouteRecord[]): readonly RouteRecord[] {
  const key = ({ route, template }: RouteRecord) => keyOf(route.Method, route.Subdomain, template);
  const last = new Map(groupRoutes(records).flatMap((group) => group.map((record) => [key(record), group] as const)));
  return records.filter((record) => last.get(key(record))?.includes(record));
}
