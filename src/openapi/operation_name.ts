/**
 * The names of routes in a document, if they have none of their own.
 *
 * @module
 */

import type { RouteRecord } from "../app/registry.ts";

/** The name of a controller's group: `Users` for `UsersController`. */
export function tagOf(controller: string): string {
  return controller.replace(/(?<=.)Controller$/, "");
}

/** A summary from a method and a path: `Get teas by id` for `GET /teas/{id}`. */
export function summaryOf(method: string, path: string): string {
  const words = path.split("/").filter((segment) => segment !== "").map((segment) => {
    const name = /^\{(.*)\}$/.exec(segment)?.[1];
    return name === undefined ? decodeURI(segment).replace(/[-_.]+/g, " ") : `by ${spaced(name)}`;
  });
  return [method[0] + method.slice(1).toLowerCase(), ...words.length === 0 ? ["/"] : words].join(" ");
}

function spaced(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").replace(/[-_.]+/g, " ").toLowerCase();
}

/** A name for generated code: the controller and its method, a name that was given, or method and path. */
export function uniqueID({ route }: RouteRecord, taken: Set<string>): string {
  const isNamed = route.Name !== `${route.Method} ${route.Subdomain}${route.Path}`;
  const base = isNamed
    ? route.Name
    : route.Controller !== undefined
    ? `${route.Controller}_${route.Action}`
    : [route.Method.toLowerCase(), ...route.Path.replace(/:[^}]*/g, "").match(/\w+/g) ?? []].join("_");
  let id = base;
  for (let at = 2; taken.has(id); at++) id = `${base}_${at}`;
  taken.add(id);
  return id;
}
