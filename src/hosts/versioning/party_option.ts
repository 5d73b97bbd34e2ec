/**
 * Options for all routes of a controller, which are passed to `Handle`.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { date, filled, text } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Party, selectRequests } from "../../core/app/party.ts";
import { RouteOverlap } from "../../core/app/record/register_rule.ts";
import type { RouteSelector } from "../../core/app/record/route_selector.ts";
import type { Handler } from "../../core/context/handler.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import type { DeprecationFields, DeprecationOptions } from "./deprecation_fields.ts";

const table = optionTable<DeprecationOptions>("versioning.DeprecationOptions", "Deprecated")({
  WarnMessage: text(),
  DeprecationDate: date(),
  DeprecationInfo: text(),
  Sunset: date(),
});

/** Checks the options for deprecated versions. */
export function checkDeprecation(options: DeprecationOptions): void {
  readOptions(table, options);
}

/** Changes the party of a controller before its routes are registered. */
export type ControllerOption = (party: Party) => void;

/**
 * Restricts a controller to some API versions. Another controller on the same routes without this option serves all
 * other versions. If there is none, requests for other versions receive a 501 response.
 *
 * @param range The versions, such as `"1.x"` or `">=1.0.0 <2.0.0"`. The syntax is the same as for `versioning.NewGroup`
 * of `@fw/web/versioning`. Building the application fails if the range is malformed.
 * @returns The option for `Handle`.
 *
 * @example Serve two versions and a default
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
  checkArgument(range, filled(), "range", "Version");
  return (party) => {
    let selector: RouteSelector | undefined;
    installLoad(party, async () => {
      const { versionSelector } = await loadModule(() => import("./selector.ts"));
      selector = versionSelector(range);
    });
    selectRequests(party, {
      name: range,
      serves: (version) => selector?.serves(version) === true,
      matches: (ctx) => selector?.matches(ctx) === true,
      refuse: (ctx) => selector?.refuse(ctx),
    });
    party.SetRegisterRule(RouteOverlap);
  };
}

/**
 * Marks a controller's routes as deprecated. Their responses include the headers described by
 * {@linkcode DeprecationOptions}, and OpenAPI documents mark them as deprecated.
 *
 * @param options The warning and the dates.
 * @returns The option for `Handle`.
 */
export function Deprecated(options: DeprecationOptions = {}): ControllerOption {
  checkDeprecation(options);
  return (party) => {
    let fields: DeprecationFields = [];
    installLoad(party, async () => {
      const { deprecationFields } = await loadModule(() => import("./deprecation_fields.ts"));
      fields = deprecationFields(options);
    });
    const deprecated: Handler = (ctx) => {
      for (const [name, value] of fields) ctx.Header(name, value);
      return ctx.Next();
    };
    party.Use(noteFacts(deprecated, { isDeprecated: true }));
  };
}

/** Loads code when the application of a party is built. */
function installLoad(party: Party, load: () => Promise<void>): void {
  party.Install({ Name: "versioning", Many: true, Install: (host) => host.Check("versions", load, "start") });
}
