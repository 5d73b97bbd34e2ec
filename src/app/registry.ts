/**
 * What was registered: the routes, and how they are found by name.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { PathValue, ReversedPath } from "../base/path_value.ts";
import type { Handler } from "../context/handler.ts";
import type { RouteInfo } from "../context/route_info.ts";
import { Logger } from "../log/logger.ts";
import { Macros } from "../macro/macros.ts";
import type { ParamSegment, Template } from "../macro/template.ts";
import type { Engine } from "../view/engine.ts";
import type { RouteDescription, RouteInput } from "./route_description.ts";
import type { RouterWrapper } from "./router_wrapper.ts";

/** One party as it was recorded. */
export interface PartyRecord {
  readonly parent: PartyRecord | undefined;
  readonly prefix: string;
  readonly subdomain: string;
  readonly routerUses: Handler[];
  readonly errorUses: Handler[];
  /** By status; 0 stands for any. */
  readonly errorHandlers: Map<number, readonly Handler[]>;
  engine: Engine | undefined;
}

/** One route as it was recorded. */
export interface RouteRecord {
  readonly route: Route;
  readonly template: Template;
  readonly party: PartyRecord;
  readonly uses: readonly Handler[];
  readonly handlers: readonly Handler[];
  readonly dones: readonly Handler[];
  /** What the controller of the route depends on, as the lines of a tree. */
  readonly dependencies?: (() => readonly string[]) | undefined;
  /** Whether a final slash is part of its path and not corrected away. */
  readonly servesSlash: boolean;
  /** Whether it serves methods of one's own too. */
  readonly servesAny: boolean;
}

/** The records of one application, shared by all its parties. */
export class Registry {
  readonly logger: Logger = new Logger();
  readonly macros: Macros = new Macros();
  readonly routes: RouteRecord[] = [];
  readonly parties: PartyRecord[] = [];
  readonly globals: Handler[] = [];
  /** What wraps the serving of every request, the outermost last. */
  readonly wrappers: RouterWrapper[] = [];
  /** Run and awaited while the application is built: what loads late must not fail late. */
  readonly loads: (() => Promise<void>)[] = [];
  /** Run when the application is built, before its routes are folded: what is checked late registers here. */
  readonly builders: (() => void)[] = [];
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

/** Reports whether a route was given a name of its own. */
let isNamed: (route: Route) => boolean;

const undescribed: RouteDescription = {};

/** A registered route. */
export class Route implements RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template with the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`; empty for the root domain. */
  readonly Subdomain: string;
  /** The names of its path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, when a controller serves it. */
  readonly Controller: string | undefined;
  /** The name of the controller's method, when a controller serves it. */
  readonly Action: string | undefined;
  /** The checked inputs of the route, in the order of its arguments. */
  readonly Inputs: readonly RouteInput[];
  #name: string | undefined = undefined;
  #description: RouteDescription = undescribed;

  /**
   * Created by a party.
   *
   * @ignore
   */
  constructor(info: Omit<RouteInfo, "Name"> & { readonly Inputs?: readonly RouteInput[] }) {
    this.Method = info.Method;
    this.Path = info.Path;
    this.Subdomain = info.Subdomain;
    this.Params = info.Params;
    this.Controller = info.Controller;
    this.Action = info.Action;
    this.Inputs = info.Inputs ?? [];
  }

  /** A name to tell it by: method, subdomain and path, unless it was renamed. */
  get Name(): string {
    return this.#name ?? `${this.Method} ${this.Subdomain}${this.Path}`;
  }

  /**
   * Gives the route a name, by which `app.Reverse` and the views find it. No two routes may have the same.
   *
   * @param name The new name.
   * @returns This route.
   *
   * @example A path by the name of its route
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:int}", (ctx) => ctx.JSON({})).SetName("user");
   *
   * app.Reverse("user", 5); // → "/users/5"
   * ```
   */
  SetName(name: string): this {
    this.#name = name;
    return this;
  }

  /** What is said of the route for its readers. */
  get Description(): Readonly<RouteDescription> {
    return this.#description;
  }

  /**
   * Says what the route is for, in documents, pages and tools. Later words replace earlier ones, member by member.
   *
   * @param description What there is to say.
   * @returns This route.
   */
  Describe(description: RouteDescription): this {
    this.#description = { ...this.#description, ...description };
    return this;
  }

  static {
    isNamed = (route) => route.#name !== undefined;
  }
}

/**
 * Builds a path of a route; each value must be one that its parameter accepts, so that the path does lead there.
 *
 * @param registry The routes.
 * @param name The name of the route.
 * @param values The values of its parameters, in order; before them the subdomain, where the route has any.
 */
export function reverse(registry: Registry, name: string, values: readonly PathValue[]): ReversedPath {
  const record = registry.routes.find(({ route }) => route.Name === name);
  if (record === undefined) {
    throw new FrameworkError("FW_ROUTE", `Cannot build a path of "${name}": there is no such route`);
  }
  const { template: { names }, party: { subdomain } } = record;
  const isAny = subdomain === "*." && values.length === names.length + 1;
  const rest = isAny ? values.slice(1) : values;
  if (rest.length !== names.length) {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot build a path of "${name}": it has ${names.length} parameters, not ${values.length}`,
    );
  }
  return { path: fill(record, rest), subdomain: isAny ? labelOf(name, values[0]) : subdomain };
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

/** The value of a subdomain that may be any, with its final dot. */
function labelOf(route: string, value: PathValue | undefined): string {
  if (typeof value === "string" && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(value)) return `${value}.`;
  throw new FrameworkError("FW_PARAM", `Cannot build a URL of "${route}": "${String(value)}" is not a subdomain`);
}

function fill({ route, template }: RouteRecord, values: readonly PathValue[]): string {
  let at = 0;
  const parts = template.segments.map((segment) =>
    segment.kind === "static" ? encodeURIComponent(segment.text) : fillOne(segment, values[at++] ?? "", route.Name)
  );
  return `/${parts.join("/")}`;
}

function fillOne(segment: ParamSegment, value: PathValue, route: string): string {
  const text = value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  const isReadable = text !== "" && (segment.trailing || !text.includes("/")) && segment.accept(text, 0, text.length);
  // Dots would be taken for steps up or nothing by every client on the way.
  if (!isReadable || text.split("/").some((part) => part === "." || part === "..")) {
    throw new FrameworkError(
      "FW_PARAM",
      `Cannot build a path of "${route}": {${segment.name}} does not accept "${text}"`,
    );
  }
  return text.split("/").map(encodeURIComponent).join("/");
}

// Where handlers were registered, for tools that explain an application. Nothing is noted unless a tool asks first: a
// stack costs microseconds for every route.

let sites: WeakMap<object, string> | undefined = undefined;

/** Notes from now on where handlers are registered. */
export function traceRegistrations(): void {
  sites ??= new WeakMap();
}

/** Notes the place of the program that registers these handlers. */
function noteSites(handlers: readonly object[]): void {
  if (sites === undefined) return;
  const site = callSite(new Error().stack ?? "");
  for (const handler of handlers) if (!sites.has(handler)) sites.set(handler, site);
}

/** The place where a handler was registered; empty where none was noted. */
export function siteOf(handler: object): string {
  return sites?.get(handler) ?? "";
}

/** The first place in a stack outside of the folders of fw. */
function callSite(stack: string): string {
  const root = new URL("../../", import.meta.url).href;
  for (const [, url = "", line] of stack.matchAll(/(\w+:\/\/[^\s)]+?):(\d+):\d+/g)) {
    const isOwn = url.startsWith(`${root}src/`) || url.startsWith(`${root}mvc/`) || url === `${root}mod.ts`;
    if (!isOwn) return `${url}:${line}`;
  }
  return "";
}
