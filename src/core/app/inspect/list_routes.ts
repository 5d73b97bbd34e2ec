/**
 * Lists the routes of an application.
 *
 * @module
 */

import type { Handler } from "../../context/handler.ts";
import { guardName } from "../../exchange/handler_facts.ts";
import { siteOf } from "../record/registration_site.ts";
import type { PartyRecord } from "../record/registry.ts";
import type { ServedRoute } from "./served_routes.ts";

/** A route of the application. */
export interface ListedRoute {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the subdomain and the paths at which its application is mounted. */
  readonly Path: string;
  /** The hosts or patterns at which `apps.Switch` serves the route, or an empty array if there is no such limit. */
  readonly Hosts: readonly string[];
  /** The route's name. */
  readonly Name: string;
  /** The range of versions that the route serves, or `undefined` if it is not limited to a version. */
  readonly Version: string | undefined;
  /** The controller and its method, such as `UserController.GetBy`, if the route belongs to a controller. */
  readonly Action: string | undefined;
  /** The names of the middleware that runs before them, such as the guards of a party, in order. */
  readonly Middleware: readonly string[];
  /**
   * The guards among them, in order, such as `auth.Allow("admin")`, `jwt`, `oauth.Require` or `PostPolicy.create`, and
   * those among the route's own handlers. `anyone` declares a route as open to everyone. Policies that handlers ask
   * while they run are not known before.
   */
  readonly Guards: readonly string[];
  /** The names of the route's own handlers. */
  readonly Handlers: readonly string[];
  /** The file and line where the route was registered, or an empty string if registrations were not traced. */
  readonly File: string;
  /** Whether API documents, tools and sitemaps omit the route, as they do for the pages of features. */
  readonly Hidden: boolean;
  /** The reason why no request can reach the route, or `undefined` if it is reachable. */
  readonly Unreachable: string | undefined;
}

/** Describes the routes that an application serves, in the same order. */
export function describeRoutes(served: readonly ServedRoute[]): ListedRoute[] {
  return served.map(({ record, hosts, isInner, replacedBy }) => {
    const { route, handlers, party } = record;
    const action = route.Controller === undefined ? undefined : `${route.Controller}.${route.Action}`;
    // The last handler of a controller's route calls the method.
    const before = action === undefined ? [] : handlers.slice(0, -1);
    const around = [...routerUsesOf(party), ...party.globals, ...record.uses];
    return {
      Method: route.Method,
      Path: party.subdomain + route.Path,
      Hosts: hosts,
      Name: route.Name,
      Version: versionsOf(party),
      Action: action,
      Middleware: [...around, ...before].map(nameOf),
      Guards: [...around, ...handlers].flatMap((handler) => guardName(handler) ?? []),
      Handlers: action === undefined ? handlers.map(nameOf) : [action],
      File: handlers.map(siteOf).find((site) => site !== "") ?? "",
      Hidden: route.Description.Hidden === true,
      Unreachable: replacedBy === undefined
        ? undefined
        : `${isInner ? "another" : "a later"} route, "${replacedBy}", accepts the same requests`,
    };
  });
}

/** Returns the `UseRouter` middleware of a party and its ancestors, outermost first. */
function routerUsesOf({ parent, routerUses }: PartyRecord): Handler[] {
  return parent === undefined ? routerUses : [...routerUsesOf(parent), ...routerUses];
}

/** Returns the version ranges of a party and its ancestors, outermost first. */
function versionsOf({ parent, selector }: PartyRecord): string | undefined {
  const above = parent && versionsOf(parent);
  return above === undefined || selector === undefined ? above ?? selector?.name : `${above} ${selector.name}`;
}

function nameOf(handler: Handler): string {
  return handler.name || "(anonymous)";
}
