/**
 * The routes that an application serves, for tools and features outside of the core.
 *
 * @module
 */

import { servedIn, type ServedRoute } from "./inspect/served_routes.ts";
import { type Party, registryOf } from "./party.ts";

export type { ServedRoute } from "./inspect/served_routes.ts";

/** Lists the routes of the application of a party, and of the applications that it passes requests to. */
export function servedRoutes(party: Party): readonly ServedRoute[] {
  return servedIn(registryOf(party));
}
