/**
 * Derives the names of operations and tags.
 *
 * @module
 */

import type { RouteRecord } from "../../core/app/record/registry.ts";

/** Returns the tag of a controller, such as `Users` for `UsersController`. */
export function tagOf(controller: string): string {
  return controller.replace(/(?<=.)Controller$/, "");
}

/** Derives a summary from a method and path, such as `Get teas by id` for `GET /teas/{id}`. */
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

/**
 * Returns a unique operation ID, based on the given one, the route's name, its controller and method, or its HTTP
 * method and path. Documents with the same ID twice are not valid.
 */
export function uniqueID({ route }: RouteRecord, given: string | undefined, taken: Set<string>): string {
  const isNamed = route.Name !== `${route.Method} ${route.Subdomain}${route.Path}`;
  const base = given !== undefined
    ? given
    : isNamed
    ? route.Name
    : route.Controller !== undefined
    ? `${route.Controller}_${route.Action}`
    : [route.Method.toLowerCase(), ...route.Path.replace(/:[^}]*/g, "").match(/\w+/g) ?? []].join("_");
  const clean = base.replace(/[^A-Za-z0-9_.~-]/g, "_");
  let id = clean;
  for (let at = 2; taken.has(id); at++) id = `${clean}_${at}`;
  taken.add(id);
  return id;
}
