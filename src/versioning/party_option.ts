/**
 * Options for the routes of a controller, as further arguments of `Handle`.
 *
 * @module
 */

import { type Party, recordOf, registryOf } from "../app/party.ts";
import { RouteOverlap } from "../app/record/register_rule.ts";
import type { RouteSelector } from "../app/record/route_selector.ts";
import type { Handler } from "../context/handler.ts";
import { noteFacts } from "../exchange/handler_facts.ts";
import type { DeprecationOptions } from "./deprecation.ts";

export type { DeprecationOptions } from "./deprecation.ts";

/** Changes the party of one controller before its routes are registered. */
export type ControllerOption = (party: Party) => void;

/**
 * Has a controller serve some versions only. A controller without this option on the same routes serves the rest;
 * without one, requests for other versions get 501.
 *
 * @param range The versions, as `versioning.NewGroup` of `@fw/web/versioning` takes them. A malformed range fails the
 * start.
 * @returns The option for `Handle`.
 *
 * @example Two versions and the rest
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class V1 {
 *   Get() {
 *     return "v1";
 *   }
 * }
 * class Rest {
 *   Get() {
 *     return "other";
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/data")).Handle(V1, mvc.Version("1.x"), mvc.Deprecated()).Handle(Rest);
 *
 * const headers = { "accept-version": "1.2.0" };
 * await (await app.fetch(new Request("http://localhost/data", { headers }))).text(); // → "v1"
 * await (await app.fetch(new Request("http://localhost/data"))).text(); // → "other"
 * ```
 */
export function Version(range: string): ControllerOption {
  return (party) => {
    let selector: RouteSelector | undefined;
    registryOf(party).loads.push(async () => {
      const { versionSelector } = await import("./selector.ts");
      selector = versionSelector(range);
    });
    recordOf(party).selector = {
      name: range,
      serves: (version) => selector?.serves(version) === true,
      matches: (ctx) => selector?.matches(ctx) === true,
      refuse: (ctx) => selector?.refuse(ctx),
    };
    party.SetRegisterRule(RouteOverlap);
  };
}

/**
 * Marks the routes of a controller as deprecated: their responses have the header fields of
 * {@linkcode DeprecationOptions}, and OpenAPI documents describe them as deprecated.
 *
 * @param options The warning and the dates.
 * @returns The option for `Handle`.
 */
export function Deprecated(options: DeprecationOptions = {}): ControllerOption {
  return (party) => {
    let handler: Handler | undefined;
    registryOf(party).loads.push(async () => {
      const { deprecation } = await import("./deprecation.ts");
      handler = deprecation(options);
    });
    const deprecated: Handler = (ctx) => handler === undefined ? ctx.Next() : handler(ctx);
    party.Use(noteFacts(deprecated, { isDeprecated: true }));
  };
}
