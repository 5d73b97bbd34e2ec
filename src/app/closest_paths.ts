/**
 * Finds the pages that a visitor was probably looking for.
 *
 * @module
 */

import { nearRoutes } from "./inspect/near_routes.ts";
import type { Registry } from "./record/registry.ts";

/** Returns the paths of GET routes without parameters that are similar to a path. The most similar one comes first. */
export function closestPaths({ routes }: Registry, subdomain: string, path: string, most: number): readonly string[] {
  const pages = routes.filter(({ route }) =>
    route.Subdomain === subdomain && route.IsStatic() && route.Description.Hidden !== true
  );
  return nearRoutes(path, pages.map(({ route }) => route.Path), most);
}
