/**
 * API versioning. Several versions of an API can share the same paths, and clients select a version with the
 * `Accept-Version` header or the `version` parameter of the `Accept` header.
 *
 * @example Two versions of a route
 * ```ts
 * import * as fw from "@fw/web";
 * import * as versioning from "@fw/web/versioning";
 *
 * const app = fw.New();
 * const api = app.Party("/api");
 * api.Use(versioning.Aliases({ [versioning.Empty]: "1.0.0", latest: "2.1.0" }));
 * const v1 = versioning.NewGroup(api, ">=1.0.0 <2.0.0").Deprecated();
 * v1.Get("/teas", (ctx) => ctx.JSON(["Assam"]));
 * const v2 = versioning.NewGroup(api, ">=2.0.0 <3.0.0");
 * v2.Get("/teas", (ctx) => ctx.JSON([{ name: "Assam" }]));
 *
 * const ask = (version: string) =>
 *   app.fetch(new Request("http://localhost/api/teas", { headers: { "accept-version": version } }));
 * await (await ask("")).json(); // → ["Assam"]
 * const latest = await ask("latest");
 * [latest.headers.get("x-api-version"), await latest.json()]; // → ["2.1.0", [{ name: "Assam" }]]
 * const unknown = await ask("3.0.0");
 * [unknown.status, await unknown.text()]; // → [501, "version not found"]
 * ```
 *
 * @module
 */

export {
  AcceptHeaderKey,
  AcceptVersionHeaderKey,
  Aliases,
  type AliasMap,
  APIVersionResponseHeader,
  Empty,
  FromQuery,
  GetVersion,
  If,
  Match,
  SetVersion,
} from "./version.ts";
export { Deprecated, WriteDeprecated } from "./deprecation.ts";
export { DefaultDeprecationOptions, type DeprecationOptions } from "./deprecation_fields.ts";
export { Group, NewGroup } from "./group.ts";
export { NotFoundHandler } from "./selector.ts";
