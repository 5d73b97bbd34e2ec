/**
 * Lists the routes of an application.
 *
 * @module
 */

import { type ListedRoute, listIn } from "../../core/app/inspect/list_routes.ts";
import { type Party, registryOf } from "../../core/app/party.ts";

export type { ListedRoute } from "../../core/app/inspect/list_routes.ts";

/**
 * Lists the routes of an application in registration order, including those of the applications that it passes requests
 * to.
 */
export function listRoutes(app: Party): ListedRoute[] {
  return listIn(registryOf(app));
}
