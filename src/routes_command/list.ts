/**
 * Lists the routes of an application.
 *
 * @module
 */

import { type Party, registryOf } from "../app/party.ts";
import type { Handler } from "../context/handler.ts";
import { siteOf } from "../app/record/registration_site.ts";
import type { PartyRecord, RouteRecord } from "../app/record/registry.ts";

/** A route of the application. */
export interface ListedRoute {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the subdomain. */
  readonly Path: string;
  /** The route's name. */
  readonly Name: string;
  /** The controller and its method, such as `UserController.GetBy`, if the route belongs to a controller. */
  readonly Action: string | undefined;
  /** The names of the middleware that runs before them, such as the guards of a party, in order. */
  readonly Middleware: readonly string[];
  /** The names of the route's own handlers. */
  readonly Handlers: readonly string[];
  /** The file and line where the route was registered, or an empty string if registrations were not traced. */
  readonly File: string;
  /** The reason why no request can reach the route, or `undefined` if it is reachable. */
  readonly Unreachable: string | undefined;
}

/** Lists the routes of an application in registration order. */
export function listRoutes(app: Party): ListedRoute[] {
  const { routes, globals } = registryOf(app);
  const last = new Map(routes.map((record) => [shapeOf(record), record]));
  return routes.map((record) => {
    const { route, handlers, party } = record;
    const action = route.Controller === undefined ? undefined : `${route.Controller}.${route.Action}`;
    // The last handler of a controller's route calls the method.
    const before = action === undefined ? [] : handlers.slice(0, -1);
    const winner = last.get(shapeOf(record));
    return {
      Method: route.Method,
      Path: party.subdomain + route.Path,
      Name: route.Name,
      Action: action,
      Middleware: [...routerUsesOf(party), ...globals, ...record.uses, ...before].map(nameOf),
      Handlers: action === undefined ? handlers.map(nameOf) : [action],
      File: handlers.map(siteOf).find((site) => site !== "") ?? "",
      Unreachable: winner === record ? undefined : `a later route, "${winner?.route.Name}", accepts the same requests`,
    };
  });
}

/** Returns the `UseRouter` middleware of a party and its ancestors, outermost first. */
function routerUsesOf({ parent, routerUses }: PartyRecord): Handler[] {
  return parent === undefined ? routerUses : [...routerUsesOf(parent), ...routerUses];
}

function nameOf(handler: Handler): string {
  return handler.name || "(anonymous)";
}

/** Returns a key that is the same for two routes if they accept the same requests. */
function shapeOf({ route, template, party }: RouteRecord): string {
  const segments = template.segments.map((segment) => segment.kind === "static" ? segment.text : `{${segment.key}}`);
  return JSON.stringify([route.Method, party.subdomain, ...segments]);
}
