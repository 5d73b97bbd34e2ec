/**
 * The registry. It stores the recorded parties and routes.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { RouterWrapper } from "../../context/router_wrapper.ts";
import type { Configuration } from "../../../base/config/config.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import type { Fallback } from "../../exchange/compiled_route.ts";
import type { Format } from "../../../pages/formats/format.ts";
import { Logger } from "../../../base/log/logger.ts";
import { Macros } from "../../../http/parameter_types/macros.ts";
import type { Template } from "../../../http/parameter_types/template.ts";
import type { Engine } from "../../../pages/engine/engine.ts";
import type { HostApp } from "../../context/extension.ts";
import type { Hosted, Living } from "./hosted.ts";
import type { ErrorObserver } from "./error_observers.ts";
import { type Installation, notePlace, type PartyAttachments, type Places, type StartCheck } from "./installation.ts";
import { RouteIndex, type RouteRegisterRule } from "./register_rule.ts";
import { sites } from "./registration_site.ts";
import { isNamed, type Route } from "./route.ts";
import type { RouteSelector } from "./route_selector.ts";

/** A recorded party. */
export interface PartyRecord {
  readonly parent: PartyRecord | undefined;
  readonly prefix: string;
  readonly subdomain: string;
  /** The middleware of the party's routes, including that of its ancestors. */
  readonly uses: Handler[];
  readonly routerUses: Handler[];
  /** The middleware of all routes of the application. */
  readonly globals: readonly Handler[];
  readonly errorUses: Handler[];
  /**
   * The error handlers by status. The key 0 is for any status. The next list of a status runs if the previous one
   * stopped.
   */
  readonly errorHandlers: Map<number, readonly (readonly Handler[])[]>;
  /** The rule for duplicate routes and error handlers that are registered from now on. */
  rule: RouteRegisterRule | undefined;
  /** The selector, or `undefined` if the party accepts every request. */
  selector: RouteSelector | undefined;
  engine: Engine | undefined;
  layout: string | undefined;
  readonly fallbacks: Fallback<Context>[];
  /** The contributions of extensions to the calls of the party. */
  attached: PartyAttachments | undefined;
}

/** A controller method or a group of handlers with injected arguments. */
export interface Dependent {
  /** Returns the dependencies as the lines of a tree. */
  dependencies(): readonly string[];
  /** The object whose method `prepare` creates them. The development pages time it. */
  readonly creator?: object | undefined;
}

/** A recorded route. */
export interface RouteRecord {
  readonly route: Route;
  readonly template: Template;
  readonly party: PartyRecord;
  readonly uses: readonly Handler[];
  readonly handlers: readonly Handler[];
  dones: readonly Handler[];
  /** The rule for duplicate routes, or `undefined` if none was set. */
  readonly rule: RouteRegisterRule | undefined;
  /** The controller class that serves the route. Two classes may have the same name. */
  readonly owner?: object | undefined;
  /** The controller method or handlers that serve the route, if they have dependencies. */
  readonly dependent?: Dependent | undefined;
  /** Whether the trailing slash is part of the path and must not be corrected. */
  readonly servesSlash: boolean;
  /** Whether the route serves another application, which handles escaped slashes itself. */
  readonly isMount: boolean;
  /** Whether the route also serves custom methods. */
  readonly servesAny: boolean;
}

/** Work that an extension does while the application runs, such as that of a job queue. */
export interface Work {
  /** Starts the work, when a server is listening. */
  start(): void;
  /** Takes no further work, when a shutdown begins. */
  interrupt(): void;
  /**
   * Finishes the work while requests are drained. The shutdown waits for the promise.
   *
   * @param until The time at which requests are cut off, as measured by `performance.now()`.
   */
  drain(until: number): Promise<void>;
  /** Releases resources at the end of a shutdown, after the user's tasks. */
  dispose(): unknown;
}

/** An application that is served below a path or a host of another one. */
export interface MountedApp {
  /** The path template below which it is served. */
  readonly prefix: string;
  readonly subdomain: string;
  /** The hosts for which it is served, if it is not mounted at a path. */
  readonly hosts?: string;
  readonly registry: Registry;
  /** The path template in its parsed form. */
  readonly template: Template;
  /** The party that passes requests on. */
  readonly party: PartyRecord;
  /** The middleware of the party when it was mounted. */
  readonly uses: readonly Handler[];
  /** The handler that passes requests on, if it is mounted at a path. */
  readonly handler?: Handler;
}

/** The registrations of an application. All of its parties share them. */
export class Registry {
  readonly logger: Logger = new Logger();
  readonly macros: Macros<Context> = new Macros();
  readonly routes: RouteRecord[] = [];
  index: RouteIndex<RouteRecord> = new RouteIndex(this.routes);
  readonly parties: PartyRecord[] = [];
  readonly globals: Handler[] = [];
  /** The handlers that run after those of all routes. The build adds them to the routes. */
  readonly globalDones: Handler[] = [];
  /** The router wrappers, with the outermost one last. */
  readonly wrappers: RouterWrapper[] = [];
  /** The wrapper around all others that reads changed translations, in development. */
  readonly reloaders: RouterWrapper[] = [];
  readonly formats: Format[] = [];
  /** The calls of `Configure` and the settings before them, in development only. */
  readonly settings: (readonly [call: Error, before: Configuration])[] = [];
  /** The observers of failed requests. */
  readonly errorObservers: ErrorObserver[] = [];
  /** Functions that run during the build and are awaited, so that errors in lazy modules are detected early. */
  readonly loads: ((runtime: AppRuntime) => Promise<void>)[] = [];
  /** The installed extensions, in order of installation. */
  readonly installed: Installation<PartyRecord>[] = [];
  readonly places: Places<PartyRecord> = new Map();
  /** The names of the extensions by the error codes that they have declared. */
  readonly codes: Map<string, string> = new Map();
  /** The keys of the values that jobs store, by name. */
  readonly carried: Map<string, object> = new Map();
  /** The number of values that extensions provide. */
  slots = 0;
  /** The checks that run at the start of the build, before routes are compiled. */
  readonly startChecks: StartCheck[] = [];
  /** The work of the extensions, in order of installation. */
  readonly works: Work[] = [];
  /** The applications that this one passes requests to. */
  readonly inner: Set<Hosted<Registry>> = new Set();
  /** The places at which they are served. An application may be served at several. */
  readonly mounts: MountedApp[] = [];
  /** The names of the view functions of the applications around this one. */
  readonly outerFuncs: string[] = [];
  /** The application itself. */
  app: HostApp | undefined = undefined;
  life: Living | undefined = undefined;
  /** Notifies the observers of a failure that no request has caused. Set during the build if there are observers. */
  observe: ((request: Request, error: Error) => void) | undefined = undefined;
  isBuilt = false;
  /** Builds the application. */
  build: (() => Promise<void> | undefined) | undefined = undefined;
  /** The configured base path, in its normalized form. Set during the build. */
  basePath = "";

  /**
   * Remembers the registrations, so that those of an extension that cannot be installed can be removed.
   *
   * @param party The party of the extension.
   * @returns A function that removes later registrations.
   */
  snapshot(party: PartyRecord): () => void {
    const records = [...new Set([party, ...this.parties.slice(0, 1)])];
    const owners = [this, ...records, ...records.map(({ attached }) => ({ ...attached }))];
    const values: unknown[] = owners.flatMap((each: object) => Object.values(each));
    // Only sizes are remembered, because a copy for each of thousands of extensions would take quadratic time.
    const lists = values.filter(Array.isArray);
    const lengths = lists.map(({ length }) => length);
    const keyed = values.filter((each) => each instanceof Map || each instanceof Set);
    const sizes = keyed.map(({ size }) => size);
    const states = records.map((record) => ({ ...record }));
    const errorHandlers = records.map((record) => new Map(record.errorHandlers));
    return () => {
      for (const [at, list] of lists.entries()) list.length = lengths[at] ?? 0;
      for (const [at, each] of keyed.entries()) {
        for (const key of [...each.keys()].slice(sizes[at])) each.delete(key);
      }
      for (const [at, record] of records.entries()) {
        Object.assign(record, states[at]);
        record.errorHandlers.clear();
        for (const [status, handlers] of errorHandlers[at] ?? []) record.errorHandlers.set(status, handlers);
      }
      this.places.clear();
      for (const each of this.installed) notePlace(this.places, each);
      this.index = new RouteIndex(this.routes);
    };
  }

  /** Returns the names of the view functions of the extensions, and of those of the applications around this one. */
  viewNames(): readonly string[] {
    return [...this.outerFuncs, ...this.parties.flatMap(({ attached }) => [...attached?.viewFuncs.keys() ?? []])];
  }

  /** Throws if the application has already been built, because later registrations would be ignored silently. */
  assertNotBuilt(act: string): void {
    if (this.isBuilt) throw new FrameworkError("FW_STATE", `Cannot ${act}: the application has already been built`);
  }
}

/** Throws if a handler is not a function. The error message contains the place where the handler was registered. */
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

/** Formats a value in one line, without the source code of functions. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value, { depth: 1, breakLength: Infinity });
}

/** Records where in the program the handlers were registered. */
function noteSites(handlers: readonly object[]): void {
  if (sites === undefined) return;
  const site = new Error();
  for (const handler of handlers) if (!sites.has(handler)) sites.set(handler, site);
}

/**
 * Throws if two routes have the same name, because it would be ambiguous. Unnamed routes are identified by their path.
 */
export function checkNames(registry: Registry): void {
  const seen = new Map<string, RouteRecord>();
  for (const record of registry.routes) {
    const { route } = record;
    if (!isNamed(route)) continue;
    const other = seen.get(route.Name)?.route;
    if (other !== undefined) {
      throw new FrameworkError(
        "FW_ROUTE",
        `Cannot name "${route.Method} ${route.Path}" "${route.Name}": "${other.Method} ${other.Path}" already has that name`,
      );
    }
    seen.set(route.Name, record);
  }
}
