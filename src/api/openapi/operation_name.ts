/**
 * Derives the names of operations and tags.
 *
 * @module
 */

import { isNamed, type Route } from "../../core/app/record/route.ts";

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
 * Returns the name of a route's operation: the given one, the route's name, its controller and method, or its HTTP
 * method and path.
 */
export function nameOf(route: Route, given: string | undefined, controller: string | undefined): string {
  if (given !== undefined || isNamed(route)) return given ?? route.Name;
  if (controller !== undefined) return `${controller}_${route.Action}`;
  return [route.Method.toLowerCase(), ...route.Path.replace(/:[^}]*/g, "").match(/\w+/g) ?? []].join("_");
}

/** Returns a name that is not taken yet, and takes it. Documents with the same operation ID twice are not valid. */
export function freeName(base: string, taken: Set<string>, longest: number = Infinity): string {
  let name = base.slice(0, longest);
  for (let at = 2; taken.has(name); at++) name = `${base.slice(0, longest - 1 - String(at).length)}_${at}`;
  taken.add(name);
  return name;
}
