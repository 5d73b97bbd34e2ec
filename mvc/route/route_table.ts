/**
 * A controller's routes as a table, for people.
 *
 * @module
 */

import type { RouteInfo } from "../../src/context/route_info.ts";

/**
 * Writes a controller's routes below one another.
 *
 * @param controller The name of the controller.
 * @param routes Its routes.
 * @returns The lines, the first with the controller's name.
 */
export function routeTable(controller: string, routes: readonly RouteInfo[]): string[] {
  const rows = merged(routes);
  const width = Math.max(0, ...rows.map((row) => row.methods.length));
  const length = Math.max(0, ...rows.map((row) => row.path.length));
  const lines = rows.map((row) => `  ${row.methods.padEnd(width)}  ${row.path.padEnd(length)}  ${row.action}`);
  return [`Controller ${controller} serves`, ...lines];
}

interface Row {
  readonly methods: string;
  readonly path: string;
  readonly action: string;
}

/** A method that serves every HTTP method takes one row. */
function merged(routes: readonly RouteInfo[]): Row[] {
  const groups = Map.groupBy(routes, (route) => `${route.Subdomain}${route.Path} ${route.Action}`);
  return [...groups.values()].map(([first, ...others]) => ({
    methods: others.length === 8 ? "ANY" : [first, ...others].map((route) => route?.Method).join(" "),
    path: `${first?.Subdomain}${first?.Path}`,
    action: first?.Action ?? "",
  }));
}
