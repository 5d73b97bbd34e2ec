/**
 * Formats a controller's routes as a table.
 *
 * @module
 */

import type { RouteInfo } from "../../src/exchange/route_info.ts";

/**
 * Formats a controller's routes as lines.
 *
 * @param controller The name of the controller.
 * @param routes The routes.
 * @returns The lines. The first contains the name of the controller.
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

/** Merges the routes of a method that serves every HTTP method into one row. */
function merged(routes: readonly RouteInfo[]): Row[] {
  const groups = Map.groupBy(routes, (route) => `${route.Subdomain}${route.Path} ${route.Action}`);
  return [...groups.values()].map(([first, ...others]) => ({
    methods: others.length === 8 ? "ANY" : [first, ...others].map((route) => route?.Method).join(" "),
    path: `${first?.Subdomain}${first?.Path}`,
    action: first?.Action ?? "",
  }));
}
