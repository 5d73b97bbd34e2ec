/**
 * The routes of an application as rows.
 *
 * @module
 */

import { siteOf } from "../app/inspect/registration_site.ts";
import { type Party, registryOf } from "../app/party.ts";
import type { RouteRecord } from "../app/registry.ts";

/** One route. */
export interface ListedRoute {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, with its subdomain. */
  readonly Path: string;
  /** The name of the route. */
  readonly Name: string;
  /** The controller and its method, when a controller serves it. */
  readonly Action: string | undefined;
  /** The names of its own handlers. */
  readonly Handlers: readonly string[];
  /** The file and line where it was registered; empty unless that was noted. */
  readonly File: string;
  /** Why no request ever leads to it; `undefined` where one does. */
  readonly Unreachable: string | undefined;
}

/** Lists the routes of an application, in the order of registration. */
export function listRoutes(app: Party): ListedRoute[] {
  const { routes } = registryOf(app);
  const last = new Map(routes.map((record) => [shapeOf(record), record]));
  return routes.map((record) => {
    const { route, handlers, party } = record;
    const winner = last.get(shapeOf(record));
    return {
      Method: route.Method,
      Path: party.subdomain + route.Path,
      Name: route.Name,
      Action: route.Controller === undefined ? undefined : `${route.Controller}.${route.Action}`,
      Handlers: handlers.map((handler) => handler.name || "(anonymous)"),
      File: handlers.map(siteOf).find((site) => site !== "") ?? "",
      Unreachable: winner === record ? undefined : `A later route, "${winner?.route.Name}", accepts the same requests`,
    };
  });
}

/** Two routes of one shape accept the same requests. */
function shapeOf({ route, template, party }: RouteRecord): string {
  const segments = template.segments.map((segment) => segment.kind === "static" ? segment.text : `{${segment.key}}`);
  return JSON.stringify([route.Method, party.subdomain, ...segments]);
}
