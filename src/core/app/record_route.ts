/**
 * Records a route of a party, after checking its method, path and handlers.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import type { Handler } from "../context/handler.ts";
import { loadInputs } from "../context/format/lazy_reader.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { factsOf, warningOf } from "../exchange/handler_facts.ts";
import { Methods } from "../../http/headers/methods.ts";
import { parseBelow, type Template } from "../../http/parameter_types/template.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import { restOfPath } from "./folder_route.ts";
import { warnOfSpelling } from "./foreign_template.ts";
import { joinPaths } from "./party_prefix.ts";
import { keptRoute } from "./record/register_rule.ts";
import { checkHandlers, type Dependent, type PartyRecord, type Registry } from "./record/registry.ts";
import { Route } from "./record/route.ts";
import type { RouteInput } from "./record/route_description.ts";

/** The properties of a new route. */
export interface RouteSpec {
  readonly method: string;
  readonly path: string;
  /** The handlers. The array is not copied, so it must not change afterwards. */
  readonly handlers: readonly Handler[];
  readonly controller?: string;
  readonly action?: string;
  /** The validated inputs of the handlers. */
  readonly inputs?: readonly RouteInput[];
  /** The controller class that serves the route. */
  readonly owner?: object | undefined;
  /** The object that the handlers belong to, if it has dependencies. */
  readonly dependent?: Dependent;
  /** Whether the trailing slash is part of the path and must not be corrected. */
  readonly servesSlash?: boolean;
  /** Whether the route also serves custom methods. */
  readonly servesAny?: boolean;
  /** Whether the route serves another application, which handles escaped slashes itself. */
  readonly isMount?: boolean;
  /** Whether the middleware that the party has for its routes does not apply. */
  readonly isOpen?: boolean;
  /** Whether the route is a page of a feature. Handlers can declare that themselves (`isPage` of their facts). */
  readonly isPage?: boolean;
}

/** The state of a party that its new routes inherit, in addition to its record. */
export interface Inherited {
  /** The prefix of the party. */
  readonly template: Template;
  readonly dones: readonly Handler[];
}

/**
 * Records a route.
 *
 * @param registry The registry of the application.
 * @param party The party's record.
 * @param inherited The prefix and the `Done` handlers of the party.
 * @param spec The properties of the route.
 * @returns The new route, or an earlier one if the party's register rule keeps it.
 */
export function recordRoute(
  registry: Registry,
  party: PartyRecord,
  { template: prefix, dones }: Inherited,
  spec: RouteSpec,
): Route {
  const method = checkMethod(spec.method, spec.path);
  const path = joinPaths(party.prefix, spec.path);
  const where = `${method} ${party.subdomain}${path}`;
  if (registry.isBuilt) registry.assertNotBuilt(`register ${where}`);
  checkHandlers(spec.handlers, where);
  if (spec.handlers.length === 0) {
    throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: it has no handler`);
  }
  warnOfSpelling(registry.logger, spec.path, where);
  const template = parseBelow(prefix, spec.path, path, registry.macros);
  const { rule } = party;
  if (rule !== undefined) {
    const kept = keptRoute(rule, registry.index, { method, subdomain: party.subdomain, template }, where);
    if (kept !== undefined) return kept.route;
  }
  const route = new Route({
    Method: method,
    Path: path.replace(unshown, "/*"),
    Subdomain: party.subdomain,
    Params: template.names.at(-1) === restOfPath ? template.names.slice(0, -1) : template.names,
    Controller: spec.controller,
    Action: spec.action,
    Inputs: spec.inputs ?? noInputs,
  });
  if (route.Inputs.length > 0 && !registry.loads.includes(loadInputs)) registry.loads.push(loadInputs);
  // The one mark that API documents, tools, sitemaps and suggestions honor. `Describe({ Hidden: false })` removes it.
  if (spec.isPage === true || spec.handlers.some((handler) => factsOf(handler).isPage === true)) {
    route.Describe(hidden);
  }
  registry.routes.push({
    route,
    template,
    party,
    uses: spec.isOpen === true ? none : copyOf(party.uses),
    handlers: spec.handlers,
    dones: copyOf(dones),
    rule,
    owner: spec.owner,
    dependent: spec.dependent,
    servesSlash: spec.servesSlash === true,
    isMount: spec.isMount === true,
    servesAny: spec.servesAny === true,
  });
  return route;
}

/** Splits methods and paths that are separated by spaces. `ANY` means all methods. */
export function splitMany(methods: string, paths: string): { readonly methods: string[]; readonly paths: string[] } {
  checkText(methods, "methods", "HandleMany");
  checkText(paths, "paths", "HandleMany");
  return {
    methods: methods.trim().split(/\s+/).flatMap((method) => /^(?:any|all|\*)$/i.test(method) ? Methods : [method]),
    // Inside braces, spaces separate the functions of a parameter.
    paths: paths.trim().split(/\s+(?![^{]*\})/),
  };
}

/**
 * The catch-all parameter of folders and mounted applications. It is internal, so it is not shown in logs and lists.
 */
const unshown = `/{${restOfPath}:path}`;
const none: readonly Handler[] = [];
const hidden = { Hidden: true };
const noInputs: readonly RouteInput[] = [];

/** Returns an immutable copy of the handlers. Most routes only have their own handlers. */
function copyOf(handlers: readonly Handler[]): readonly Handler[] {
  return handlers.length === 0 ? none : handlers.slice();
}

const usualMethods: ReadonlySet<string> = new Set(Methods);

/** Checks a method. Methods are tokens (RFC 9110, section 9.1), so custom methods such as `PROPFIND` are valid. */
function checkMethod(method: string, path: string): string {
  if (usualMethods.has(method)) return method;
  const verb = typeof method === "string" ? method.toUpperCase() : "";
  if (isHeaderToken(verb)) return verb;
  throw new FrameworkError("FW_ROUTE", `Cannot register the path "${path}": "${verb}" is not an HTTP method`);
}

/** Logs the warnings of all registered handlers. Each warning is logged once. */
export function logWarnings({ routes, parties, globals, logger }: Registry): void {
  const warnings = new Set<string>();
  const collect = (handlers: readonly object[]) => {
    for (let i = 0; i < handlers.length; i++) {
      const warning = warningOf(handlers[i] as object);
      if (warning !== undefined) warnings.add(warning);
    }
  };
  collect(globals);
  for (const { routerUses } of parties) collect(routerUses);
  for (const { uses, handlers, dones } of routes) {
    collect(uses);
    collect(handlers);
    collect(dones);
  }
  for (const warning of warnings) logger.Warn(warning);
}
