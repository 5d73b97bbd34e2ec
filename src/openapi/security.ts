/**
 * Describes the authentication that operations require.
 *
 * @module
 */

import type { RouteRecord } from "../app/record/registry.ts";
import type { RouteDescription } from "../app/record/route_description.ts";
import type { Handler } from "../context/handler.ts";
import { factsOf, noteFacts } from "../exchange/handler_facts.ts";
import type { Components } from "./components.ts";
import { handlersOf } from "./operation_sources.ts";

/** Returns the security requirements of an operation, or an empty array if it has none. */
export function securityOf(
  record: RouteRecord,
  { Security }: RouteDescription,
  components: Components,
): readonly Record<string, readonly string[]>[] {
  const needed: Record<string, readonly string[]> = {};
  for (const handler of handlersOf(record)) {
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

/**
 * Documents a custom guard. The document shows that operations behind the guard require the security scheme.
 *
 * @example Document an API key guard
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
 * @param name The scheme's name in the document.
 * @param scheme The security scheme, as an OpenAPI object.
 * @returns The guard.
 */
export function Security<H extends Handler>(guard: H, name: string, scheme: Readonly<Record<string, unknown>>): H {
  return noteFacts(guard, { security: { name, scheme } });
}
