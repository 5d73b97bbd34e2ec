/**
 * What is said of a controller's routes, method by method.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Registry } from "../../src/app/registry.ts";
import type { RouteDescription } from "../../src/app/route_description.ts";

/** Descriptions by the names of a controller's methods. */
export type ControllerDescription<C> = { readonly [K in keyof C]?: RouteDescription };

/** Describes the routes of a controller; a method that has none is an error. */
export function describeRoutes(
  registry: Registry,
  controller: string,
  said: readonly (readonly [action: string, description: RouteDescription | undefined])[],
): void {
  for (const [action, description = {}] of said) {
    const routes = registry.routes.filter(({ route }) => route.Controller === controller && route.Action === action);
    if (routes.length === 0) {
      throw new FrameworkError("FW_CONTROLLER", `Cannot describe "${controller}.${action}": it has no route`);
    }
    for (const { route } of routes) route.Describe(description);
  }
}
