/**
 * The authentication that an operation needs.
 *
 * @module
 */

import type { RouteRecord } from "../app/registry.ts";
import type { RouteDescription } from "../app/route_description.ts";
import type { Handler } from "../context/handler.ts";
import { factsOf, noteFacts } from "../context/handler_facts.ts";
import type { Components } from "./components.ts";

/** The schemes of an operation, as the document lists them; empty if it needs none. */
export function securityOf(
  record: RouteRecord,
  { Security }: RouteDescription,
  components: Components,
): readonly Record<string, readonly string[]>[] {
  const needed: Record<string, readonly string[]> = {};
  for (const handler of chainOf(record)) {
    const { security } = factsOf(handler);
    if (security === undefined) continue;
    components.secure(security.name, security.scheme);
    needed[security.name] = [];
  }
  if (Security !== undefined) {
    return Security.map((each) => typeof each === "string" ? { [each]: [] } : { ...each });
  }
  return Object.keys(needed).length === 0 ? [] : [needed];
}

/** All handlers that a request of the route meets, those of the router of its parties included. */
function chainOf(record: RouteRecord): readonly object[] {
  const above: object[] = [];
  for (let party: RouteRecord["party"] | undefined = record.party; party !== undefined; party = party.parent) {
    above.unshift(...party.routerUses);
  }
  return [...above, ...record.uses, ...record.handlers];
}

/**
 * Says what a guard of your own demands: routes behind it need this scheme in the document.
 *
 * @example A guard by a key in a header
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const guard = openapi.Security(function byKey(ctx: fw.Context) {
 *   return ctx.GetHeader("x-api-key") === "secret" ? ctx.Next() : ctx.StopWithStatus(401);
 * }, "key", { type: "apiKey", in: "header", name: "X-API-Key" });
 *
 * const app = fw.New();
 * app.Get("/teas", guard, (ctx) => ctx.JSON([]));
 * const document = await openapi.New({ Title: "Teas", Version: "1.0.0" }).Build(app);
 * JSON.stringify(document).includes('"security":[{"key":[]}]'); // → true
 * ```
 *
 * @param guard The guard.
 * @param name The name of the scheme within the document.
 * @param scheme The scheme, as OpenAPI describes it.
 * @returns The guard.
 */
export function Security<H extends Handler>(guard: H, name: string, scheme: Readonly<Record<string, unknown>>): H {
  return noteFacts(guard, { security: { name, scheme } });
}
