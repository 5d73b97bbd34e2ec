/**
 * Lists the routes of an application.
 *
 * @module
 */

import { describeRoutes, type ListedRoute } from "../../core/app/inspect/list_routes.ts";
import type { Party } from "../../core/app/party.ts";
import { servedRoutes } from "../../core/app/served_routes.ts";

export type { ListedRoute } from "../../core/app/inspect/list_routes.ts";

/**
 * Lists the routes of an application in registration order, including those of the applications that it passes requests
 * to.
 */
export function listRoutes(app: Party): ListedRoute[] {
  return describeRoutes(servedRoutes(app));
}
