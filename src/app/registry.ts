/**
 * What was registered: the parties and their routes, as records.
 *
 * @module
 */

import type { Configuration } from "../base/config.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { Fallback } from "../context/view_state.ts";
import { Logger } from "../log/logger.ts";
import { Macros } from "../macro/macros.ts";
import type { Template } from "../macro/template.ts";
import type { Engine } from "../view/engine.ts";
import { callSite, sites } from "./inspect/registration_site.ts";
import { RouteIndex, type RouteRegisterRule } from "./register_rule.ts";
import { isNamed, type Route } from "./route.ts";
import type { ErrorObserver } from "./error_observers.ts";
import type { RouterWrapper } from "../context/router_wrapper.ts";

/** Decides whether a party serves a request that its routes match, as a version of an API does. */
export interface RouteSelector {
  /** The requests that are served, in words. */
  readonly name: string;
  /** Reports whether the party serves requests of a kind, such as those of one version. */
  serves(kind: string): boolean;
  /** Reports whether the party serves the request. */
  matches(ctx: Context): boolean;
  /** Responds if no party serves the request. */
  refuse(ctx: Context): ReturnType<Handler>;
}

/** One party as it was recorded. */
export interface PartyRecord {
  readonly parent: PartyRecord | undefined;
  readonly prefix: string;
  readonly subdomain: string;
  /** The middleware of its routes, that of the parties above included. */
  readonly uses: Handler[];
  readonly routerUses: Handler[];
  readonly errorUses: Handler[];
  /** By status; 0 stands for any. The next list of a status runs if the one before it stopped. */
  readonly errorHandlers: Map<number, readonly (readonly Handler[])[]>;
  /** Applies to the routes and the error handlers that are registered from now on. */
  rule: RouteRegisterRule | undefined;
  /** Absent if the party serves every request. */
  selector: RouteSelector | undefined;
  engine: Engine | undefined;
  layout: string | undefined;
  readonly fallbacks: Fallback<Context>[];
}

/** What has dependencies: a method of a controller, handlers with injected arguments. */
export interface Dependent {
  /** What it depends on, as the lines of a tree. */
  dependencies(): readonly string[];
}

/** One route as it was recorded. */
export interface RouteRecord {
  readonly route: Route;
  readonly template: Template;
  readonly party: PartyRecord;
  readonly uses: readonly Handler[];
  readonly handlers: readonly Handler[];
  readonly dones: readonly Handler[];
  /** What happens if the route exists already; absent if no rule was set. */
  readonly rule: RouteRegisterRule | undefined;
  /** The class of the controller that serves the route: two classes may have one name. */
  readonly owner?: object | undefined;
  /** What serves the route, where that has dependencies. */
  readonly dependent?: Dependent | undefined;
  /** Whether a final slash is part of its path and not corrected away. */
  readonly servesSlash: boolean;
  /** Whether another application serves it, which reads escaped slashes by itself. */
  readonly isMount: boolean;
  /** Whether it serves methods of one's own too. */
  readonly servesAny: boolean;
}

/** The records of one application, shared by all its parties. */
export class Registry {
  readonly logger: Logger = new Logger();
  readonly macros: Macros = new Macros();
  readonly routes: RouteRecord[] = [];
  readonly index: RouteIndex<RouteRecord> = new RouteIndex(this.routes);
  readonly parties: PartyRecord[] = [];
  readonly globals: Handler[] = [];
  /** What wraps the serving of every request, the outermost last. */
  readonly wrappers: RouterWrapper[] = [];
  /** Told of every failure of a request. */
  readonly errorObservers: ErrorObserver[] = [];
  /** Run and awaited while the application is built: what loads late must not fail late. */
  readonly loads: (() => Promise<void>)[] = [];
  /** Run when the application is built, before its routes are folded: what is checked late registers here. */
  readonly builders: ((config: Readonly<Configuration>) => void)[] = [];
  /** Run at the end of a shutdown, after the tasks of the program, the last first; each reports its own failures. */
  readonly closers: (() => void | Promise<void>)[] = [];
  isBuilt = false;

  /** Refuses what comes after the application was built: it would be ignored silently. */
  assertNotBuilt(act: string): void {
    if (this.isBuilt) throw new FrameworkError("FW_STATE", `Cannot ${act}: the application is built already`);
  }
}

/** Refuses what is not a handler, and says where it was given. */
export function checkHandlers(handlers: readonly Handler[], where: string): void {
  for (let at = 0; at < handlers.length; at++) {
    const handler: unknown = handlers[at];
    if (typeof handler !== "function") {
      throw new FrameworkError(
        "FW_ROUTE",
        `Cannot register ${where}: handler ${at + 1} is "${shown(handler)}", not a function`,
      );
    }
  }
  noteSites(handlers);
}

/** A value in one line; a list of functions must not spill their sources into the message. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value, { depth: 1, breakLength: Infinity });
}

/** Notes the place of the program that registers these handlers. */
function noteSites(handlers: readonly object[]): void {
  if (sites === undefined) return;
  const site = callSite(new Error().stack ?? "");
  for (const handler of handlers) if (!sites.has(handler)) sites.set(handler, site);
}

/** Refuses two routes of one name: a path could lead to either. What has no name of its own is told by its path. */
export function checkNames(registry: Registry): void {
  const seen = new Map<string, RouteRecord>();
  for (const record of registry.routes) {
    const { route } = record;
    if (!isNamed(route)) continue;
    const other = seen.get(route.Name)?.route;
    if (other !== undefined) {
      throw new FrameworkError(
        "FW_ROUTE",
        `Cannot name "${route.Method} ${route.Path}" "${route.Name}": "${other.Method} ${other.Path}" has that name`,
      );
    }
    seen.set(route.Name, record);
  }
}
