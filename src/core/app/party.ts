/**
 * Parties. A party is a group of routes that share a path prefix and middleware. Parties only record registrations, and
 * the application is built from them later.
 *
 * @module
 */

import { checkArgument, checkText } from "../../base/config/option_table.ts";
import { applyAll } from "../../base/config/returned.ts";
import type { RunningApplication } from "../../base/config/running_application.ts";
import type { Context } from "../context/context.ts";
import { installCarried } from "../context/extend.ts";
import type { Extension, HostApp } from "../context/extension.ts";
import type { Handler } from "../context/handler.ts";
import { checkFallbacks, engineRule } from "../context/view.ts";
import { foreignReason, signCopy } from "../../base/errors/copies.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Fallback } from "../exchange/compiled_route.ts";
import { type MethodName, Methods } from "../../http/headers/methods.ts";
import type { Macros } from "../../http/parameter_types/macros.ts";
import { checkPath, parseTemplate, type Template } from "../../http/parameter_types/template.ts";
import type { DirOptions } from "../static/options.ts";
import type { Engine } from "../../pages/engine/engine.ts";
import { type APIContainer, containerOf } from "./api_container.ts";
import { folderHandlers, pathRule, restOfPath } from "./folder_route.ts";
import { warnOfSpelling } from "./foreign_template.ts";
import { fetchOf, hostApp, type Place } from "./life.ts";
import { install } from "./install.ts";
import { type ForeignFetch, mounted } from "./mount.ts";
import { joinPaths, type Prefix, readPrefix } from "./party_prefix.ts";
import { checkRule, joinErrorHandlers, type RouteRegisterRule } from "./record/register_rule.ts";
import { checkHandlers, type PartyRecord, Registry, type RouteRecord } from "./record/registry.ts";
import type { Route } from "./record/route.ts";
import type { RouteSelector } from "./record/route_selector.ts";
import { recordRoute, type RouteSpec, splitMany } from "./record_route.ts";

// Functions for other fw modules. They are set in the static block of the class.

/** Returns the registry that a party records to. Only for the modules of this folder. */
export let registryOf: (party: Party) => Registry;
/** Returns the record of a party. */
export let recordOf: (party: Party) => PartyRecord;
/** Throws if the application of a party has been built. */
export let assertNotBuilt: (party: Party, act: string) => void;
/** Reports whether the application of a party has been built. */
export let isBuilt: (party: Party) => boolean;
/** Returns all routes of the application of a party, including those that are registered later. */
export let routeRecordsOf: (party: Party) => readonly RouteRecord[];
/** Lets a party serve only the requests that a selector accepts. */
export let selectRequests: (party: Party, selector: RouteSelector) => void;
/** Returns the application of a party. */
export let appOf: (party: Party) => HostApp & RunningApplication & { Build(): Promise<void> | undefined };
/** Records that a party passes the requests for some hosts to another application. */
export let hostInner: (party: Party, fetch: object, hosts: string) => void;
/** Returns the prefix of a party as a template. */
export let templateOf: (party: Party) => Template;
/** Returns the names of the view functions of all parties of an application, and of those around it. */
export let viewNamesOf: (party: Party) => readonly string[];
/** Registers a route from its properties. */
export let addRoute: (party: Party, spec: RouteSpec) => Route;

/**
 * A group of routes that share a path prefix and middleware.
 *
 * @example Guard a group of routes
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * const admin = app.Party("/admin", (ctx) => {
 *   if (ctx.GetHeader("x-key") !== "sesame") return ctx.StopWithStatus(401);
 *   return ctx.Next();
 * });
 * admin.Get("/stats", (ctx) => ctx.WriteString("all is well"));
 *
 * const shut = await app.fetch(new Request("http://localhost/admin/stats"));
 * shut.status; // → 401
 * const open = await app.fetch(new Request("http://localhost/admin/stats", { headers: { "x-key": "sesame" } }));
 * await open.text(); // → "all is well"
 * ```
 */
export class Party {
  readonly #registry: Registry;
  readonly #record: PartyRecord;
  readonly #dones: Handler[];
  #template: Template | undefined = undefined;

  /**
   * Created by `app.Party` and similar methods. Without arguments, it is the root party of an application.
   *
   * @ignore
   */
  constructor(parent?: Party, prefix: Prefix = { subdomain: "", path: "/" }, handlers: readonly Handler[] = []) {
    this.#registry = parent === undefined ? new Registry() : parent.#registry;
    this.#record = {
      parent: parent === undefined ? undefined : parent.#record,
      prefix: prefix.path,
      subdomain: prefix.subdomain,
      uses: [...parent === undefined ? [] : parent.#record.uses, ...handlers],
      routerUses: [],
      globals: this.#registry.globals,
      errorUses: [],
      errorHandlers: new Map(),
      engine: undefined,
      layout: undefined,
      fallbacks: [],
      rule: parent === undefined ? undefined : parent.#record.rule,
      selector: undefined,
      attached: undefined,
    };
    this.#dones = parent === undefined ? [] : [...parent.#dones];
    this.#registry.parties.push(this.#record);
  }

  /**
   * Registers handlers for a method and a path.
   *
   * @param method The HTTP method, case-insensitive.
   * @param path The path template, relative to the party, such as `/user/{id:long}`.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example Register a handler for another method
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Handle("GET", "/files/{file:path}", (ctx) => ctx.WriteString(ctx.Params().Get("file")));
   *
   * await (await app.fetch(new Request("http://localhost/files/css/site.css"))).text(); // → "css/site.css"
   * ```
   */
  Handle(method: MethodName, path: string, ...handlers: Handler[]): Route {
    return this.#add({ method, path, handlers });
  }

  /**
   * Registers handlers for several methods and paths.
   *
   * @param methods The methods, separated by spaces, such as `"GET POST"`. `ANY` means all methods.
   * @param paths The paths, separated by spaces, such as `"/a /b"`.
   * @param handlers The handlers.
   * @returns The routes.
   *
   * @example `party.HandleMany("GET POST", "/teas /tees", (ctx) => ctx.WriteString("Assam"));`
   */
  HandleMany(methods: string, paths: string, ...handlers: Handler[]): Route[] {
    const many = splitMany(methods, paths);
    return many.paths.flatMap((path) => many.methods.map((method) => this.Handle(method, path, ...handlers)));
  }

  /**
   * Registers handlers for GET requests. The route also serves HEAD requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example Register a route with its own guard
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const guard: fw.Handler = (ctx) => ctx.URLParam("key") === "tea" ? ctx.Next() : ctx.StopWithStatus(403);
   * app.Get("/", (ctx) => ctx.WriteString("for all"));
   * app.Get("/private", guard, (ctx) => ctx.WriteString("for some"));
   *
   * await (await app.fetch(new Request("http://localhost/private?key=tea"))).text(); // → "for some"
   * (await app.fetch(new Request("http://localhost/private"))).status; // → 403
   * ```
   */
  Get(path: string, ...handlers: Handler[]): Route {
    return this.Handle("GET", path, ...handlers);
  }

  /**
   * Registers handlers for POST requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example Create a resource
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/teas", async (ctx) => {
   *   ctx.StatusCode(201);
   *   ctx.JSON({ name: await ctx.PostValue("name") });
   * });
   *
   * const body = new URLSearchParams({ name: "Assam" });
   * const response = await app.fetch(new Request("http://localhost/teas", { method: "POST", body }));
   * [response.status, await response.json()]; // → [201, { name: "Assam" }]
   * (await app.fetch(new Request("http://localhost/teas"))).status; // → 405
   * ```
   *
   * @example `party.Post("/teas", (ctx) => ctx.StatusCode(201));`
   */
  Post(path: string, ...handlers: Handler[]): Route {
    return this.Handle("POST", path, ...handlers);
  }

  /**
   * Registers handlers for PUT requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Put("/teas/{id:int}", (ctx) => ctx.StatusCode(204));`
   */
  Put(path: string, ...handlers: Handler[]): Route {
    return this.Handle("PUT", path, ...handlers);
  }

  /**
   * Registers handlers for DELETE requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Delete("/teas/{id:int}", (ctx) => ctx.StatusCode(204));`
   */
  Delete(path: string, ...handlers: Handler[]): Route {
    return this.Handle("DELETE", path, ...handlers);
  }

  /**
   * Registers handlers for PATCH requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Patch("/teas/{id:int}", (ctx) => ctx.StatusCode(204));`
   */
  Patch(path: string, ...handlers: Handler[]): Route {
    return this.Handle("PATCH", path, ...handlers);
  }

  /**
   * Registers handlers for HEAD requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Head("/teas", (ctx) => ctx.Header("x-count", "3"));`
   */
  Head(path: string, ...handlers: Handler[]): Route {
    return this.Handle("HEAD", path, ...handlers);
  }

  /**
   * Registers handlers for OPTIONS requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Options("/teas", (ctx) => ctx.Header("allow", "GET"));`
   */
  Options(path: string, ...handlers: Handler[]): Route {
    return this.Handle("OPTIONS", path, ...handlers);
  }

  /**
   * Registers handlers for CONNECT requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Connect("/tunnel", (ctx) => ctx.StatusCode(501));`
   */
  Connect(path: string, ...handlers: Handler[]): Route {
    return this.Handle("CONNECT", path, ...handlers);
  }

  /**
   * Registers handlers for TRACE requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   *
   * @example `party.Trace("/echo", (ctx) => ctx.StatusCode(405));`
   */
  Trace(path: string, ...handlers: Handler[]): Route {
    return this.Handle("TRACE", path, ...handlers);
  }

  /**
   * Registers handlers for all methods.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The routes, one per method.
   *
   * @example `party.Any("/echo", (ctx) => ctx.WriteString(ctx.Method()));`
   */
  Any(path: string, ...handlers: Handler[]): Route[] {
    return this.#addAny({ path, handlers });
  }

  /**
   * Creates a group of routes inside this party.
   *
   * @param path The prefix of the group. `admin.` is a subdomain, and `*.` matches any other subdomain.
   * @param handlers The first middleware of the group.
   * @returns The new party.
   *
   * @example Share a path prefix and middleware
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const api = app.Party("/api", (ctx) => {
   *   ctx.Header("x-api", "1");
   *   return ctx.Next();
   * });
   * api.Get("/teas", (ctx) => ctx.JSON(["Assam"]));
   *
   * const response = await app.fetch(new Request("http://localhost/api/teas"));
   * [response.headers.get("x-api"), await response.json()]; // → ["1", ["Assam"]]
   * ```
   *
   * @example `const api = party.Party("/api");`
   */
  Party(path: string, ...handlers: Handler[]): Party {
    checkPath(path);
    this.#registry.assertNotBuilt(`create the party "${path}"`);
    checkHandlers(handlers, `the party "${path}"`);
    installCarried(this, handlers);
    const prefix = readPrefix(path, { subdomain: this.#record.subdomain, path: this.#record.prefix });
    // The prefix is parsed here, so that an error points to the prefix rather than to its first route.
    const template = parseTemplate(prefix.path, this.#registry.macros);
    warnOfSpelling(this.#registry.logger, path.replace(/^\*\./, ""), path);
    const party = new Party(this, prefix, handlers);
    party.#template = template;
    return party;
  }

  /**
   * Creates a group of routes inside this party and passes it to a function.
   *
   * @param path The prefix of the group.
   * @param configure A function that receives the new party.
   * @returns The new party.
   *
   * @example `party.PartyFunc("/teas", (teas) => void teas.Get("/", (ctx) => ctx.WriteString("Assam")));`
   */
  PartyFunc(path: string, configure: (party: Party) => void): Party {
    const party = this.Party(path);
    applyAll([configure], party, "the function of PartyFunc");
    return party;
  }

  /**
   * Returns a container for registering handlers with injected arguments. As with controller methods, the default
   * values of a handler's arguments after the context declare its dependencies and inputs, and its return value becomes
   * the response. Middleware can have injected arguments too. Dependencies are injected with `mvc.Inject` from
   * `@fw/web/mvc`.
   *
   * @param configurators Functions that receive the container.
   * @returns The container, which is the same object for every call.
   *
   * @example Register a handler with an input and a dependency
   * ```ts
   * import * as fw from "@fw/web";
   * import * as mvc from "@fw/web/mvc";
   *
   * class Users {
   *   names = ["Ada", "Bob"];
   * }
   * const app = fw.New();
   * app.Party("/users").ConfigureContainer((api) => {
   *   api.Register(Users);
   *   api.Get("/{id:int}", (ctx, users = mvc.Inject(Users)) => {
   *     const name = users.names[ctx.Params().GetIntDefault("id", 0)];
   *     return mvc.Tuple({ name }, name !== undefined); // false is 404
   *   });
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/users/1"));
   * await response.json(); // → { name: "Bob" }
   * ```
   *
   * @example `party.ConfigureContainer((api) => void api.Register(Shipping));`
   */
  ConfigureContainer(...configurators: ((api: APIContainer) => void)[]): APIContainer {
    const container = containerOf(this);
    applyAll(configurators, container, "a container's configurator");
    return container;
  }

  /**
   * Creates a group of routes for a subdomain.
   *
   * @param name The subdomain, with or without a trailing dot. `*` matches any other subdomain.
   * @param handlers The first middleware of the group.
   * @returns The new party.
   *
   * @example `party.Subdomain("admin").Get("/", (ctx) => ctx.WriteString("Admin"));`
   */
  Subdomain(name: string, ...handlers: Handler[]): Party {
    checkPath(name);
    return this.Party(name.endsWith(".") ? name : `${name}.`, ...handlers);
  }

  /**
   * Adds middleware to the routes and parties that are created after this call.
   *
   * @param handlers The middleware. Each function calls `ctx.Next()` to continue.
   * @returns This party, for chaining.
   *
   * @example Add middleware to the following routes
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/before", (ctx) => ctx.WriteString("plain"));
   * app.Use((ctx) => {
   *   ctx.Header("x-seen", "yes");
   *   return ctx.Next();
   * });
   * app.Get("/after", (ctx) => ctx.WriteString("plain"));
   *
   * (await app.fetch(new Request("http://localhost/before"))).headers.get("x-seen"); // → null
   * (await app.fetch(new Request("http://localhost/after"))).headers.get("x-seen"); // → "yes"
   * ```
   *
   * @example `party.Use((ctx) => ctx.Next());`
   */
  Use(...handlers: Handler[]): this {
    return this.#append(this.#record.uses, handlers, "Use");
  }

  /**
   * Adds middleware to all routes of the application, including those already registered.
   *
   * @param handlers The middleware. Each function calls `ctx.Next()` to continue.
   * @returns This party, for chaining.
   *
   * @example `party.UseGlobal((ctx) => ctx.Next());`
   */
  UseGlobal(...handlers: Handler[]): this {
    return this.#append(this.#registry.globals, handlers, "UseGlobal");
  }

  /**
   * Adds middleware to all requests below this party's prefix, even if no route matches. Error pages only see the
   * results of middleware that is added here, so use this method rather than {@linkcode Use} for sessions,
   * authentication and CSRF protection.
   *
   * @param handlers The middleware. Each function calls `ctx.Next()` to continue.
   * @returns This party, for chaining.
   *
   * @example Add middleware to every request
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.UseRouter((ctx) => {
   *   ctx.Header("x-server", "tea");
   *   return ctx.Next();
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/nowhere"));
   * [response.status, response.headers.get("x-server")]; // → [404, "tea"]
   * ```
   *
   * @example `party.UseRouter((ctx) => ctx.Next());`
   */
  UseRouter(...handlers: Handler[]): this {
    return this.#append(this.#record.routerUses, handlers, "UseRouter");
  }

  /**
   * Adds middleware for the error pages of this party. It runs before the `OnErrorCode` and `OnAnyErrorCode` handlers.
   *
   * @param handlers The middleware. Each function calls `ctx.Next()` to continue.
   * @returns This party, for chaining.
   *
   * @example `party.UseError((ctx) => (ctx.Header("x-error", "1"), ctx.Next()));`
   */
  UseError(...handlers: Handler[]): this {
    return this.#append(this.#record.errorUses, handlers, "UseError");
  }

  /**
   * Adds handlers that run after the main handler of the routes registered after this call. They do not run if the
   * chain is stopped.
   *
   * @param handlers The handlers. They run even if the main handler does not call `ctx.Next()`.
   * @returns This party, for chaining.
   *
   * @example Run a handler after the main handler
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const seen: string[] = [];
   * app.Done((ctx) => void seen.push(`${ctx.Path()} ${ctx.GetStatusCode()}`));
   * app.Get("/", (ctx) => ctx.WriteString("hello"));
   *
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "hello"
   * seen; // → ["/ 200"]
   * ```
   */
  Done(...handlers: Handler[]): this {
    return this.#append(this.#dones, handlers, "Done");
  }

  /**
   * Adds handlers that run after the main handler of all routes of the application, including those already registered.
   * They run after those added with {@linkcode Done}, and not if the chain is stopped.
   *
   * @param handlers The handlers. They run even if the main handler does not call `ctx.Next()`.
   * @returns This party, for chaining.
   *
   * @example `party.DoneGlobal((ctx) => ctx.Logger().Debug("done"));`
   */
  DoneGlobal(...handlers: Handler[]): this {
    return this.#append(this.#registry.globalDones, handlers, "DoneGlobal");
  }

  /**
   * Registers the error page for a status code. The handlers write the response body for requests below this party's
   * prefix if no other handler has written one. To observe errors, use `OnError`. For controller errors, use
   * `HandleError`.
   *
   * @param status The status code, from 400 to 599.
   * @param handlers The handlers.
   * @returns This party, for chaining.
   * @throws {FrameworkError} If the status code is not between 400 and 599.
   *
   * @example Respond with a custom 404 page
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.OnErrorCode(404, (ctx) => ctx.HTML(`<h1>No page ${ctx.Path()}</h1>`));
   *
   * const response = await app.fetch(new Request("http://localhost/tea"));
   * [response.status, await response.text()]; // → [404, "<h1>No page /tea</h1>"]
   * ```
   */
  OnErrorCode(status: number, ...handlers: Handler[]): this {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new FrameworkError(
        "FW_STATUS",
        `Cannot handle the error status "${String(status)}": it must be between 400 and 599`,
      );
    }
    return this.#onError(status, handlers, `the handler for status ${status}`);
  }

  /**
   * Registers the error page for all status codes without a page of their own. The handlers write the response body if
   * no other handler has written one. For an API, register `fw.WriteProblem`.
   *
   * @param handlers The handlers.
   * @returns This party, for chaining.
   *
   * @example Respond to all errors with JSON
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.OnAnyErrorCode((ctx) => ctx.JSON({ error: ctx.GetStatusCode() }));
   *
   * await (await app.fetch(new Request("http://localhost/tea"))).json(); // → { error: 404 }
   * ```
   */
  OnAnyErrorCode(...handlers: Handler[]): this {
    return this.#onError(0, handlers, "the handler for any error status");
  }

  /**
   * Sets the rule for duplicate routes and error handlers. A route is a duplicate if another one has the same method,
   * subdomain and path template, including its functions. The rule applies to all later registrations on this party and
   * to parties that are created from it afterwards.
   *
   * `fw.RouteOverride`, the default, replaces the earlier route. `fw.RouteSkip` keeps and returns the earlier route.
   * `fw.RouteError` throws. With `fw.RouteOverlap`, both are served: if a handler of the earlier route calls
   * `ctx.StopExecution()` and nothing has decided the response, the later route runs. A response is decided by a
   * status, a body, a redirect, an error or a challenge such as `WWW-Authenticate`, and by middleware of the earlier
   * route that stops. Middleware that both routes share runs once.
   *
   * @param rule The rule.
   * @returns This party, for chaining.
   *
   * @example Serve guests and users at the same path
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.SetRegisterRule(fw.RouteOverlap);
   * app.Get("/", (ctx) => ctx.GetHeader("x-user") === "" ? ctx.StopExecution() : ctx.WriteString("Welcome back"));
   * app.Get("/", (ctx) => ctx.WriteString("Please log in"));
   *
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "Please log in"
   * const headers = { "x-user": "Ada" };
   * await (await app.fetch(new Request("http://localhost/", { headers }))).text(); // → "Welcome back"
   * ```
   */
  SetRegisterRule(rule: RouteRegisterRule): this {
    this.#registry.assertNotBuilt("set a register rule");
    this.#record.rule = checkRule(rule);
    return this;
  }

  /**
   * Sets the template engine for this party and the parties inside it.
   *
   * @param engine The engine.
   * @returns This party, for chaining.
   *
   * @example Render templates from a folder
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const views = await Deno.makeTempDir();
   * await Deno.writeTextFile(`${views}/layout.html`, "<main><%~ body %></main>");
   * await Deno.writeTextFile(`${views}/home.html`, "<h1><%= it.title %></h1>");
   * app.RegisterView(fw.HTML(views, ".html").Layout("layout"));
   * app.Get("/", (ctx) => ctx.View("home", { title: "Tea" }));
   *
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<main><h1>Tea</h1></main>"
   * await Deno.remove(views, { recursive: true });
   * ```
   */
  RegisterView(engine: Engine): this {
    this.#registry.assertNotBuilt("register a view engine");
    checkArgument(engine, engineRule, "engine", "RegisterView");
    this.Install({ Name: "views", Many: true, Install: () => void (this.#record.engine = engine) });
    return this;
  }

  /**
   * Sets the layout for the views of this party and the parties inside it, including error pages. A layout set by a
   * handler or a template takes precedence.
   *
   * @param name The layout name, or `fw.NoLayout` for none.
   * @returns This party, for chaining.
   *
   * @example `party.Layout("admin");`
   */
  Layout(name: string): this {
    this.#registry.assertNotBuilt("set a layout");
    checkText(name, "name", "Layout");
    this.#record.layout = name;
    return this;
  }

  /**
   * Sets the fallbacks to render if a template or a layout does not exist. The fallbacks are tried in order, once per
   * request. The status code does not change.
   *
   * @param fallbacks The name of another view, `{ Layout: name }` for the same view in another layout, or a function
   * that writes the response.
   * @returns This party, for chaining.
   *
   * @example Fall back to another view
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.RegisterView(fw.HTML("").ParseTemplate("soon.html", "<p>Coming soon</p>"));
   * app.FallbackView("soon");
   * app.Get("/news", (ctx) => ctx.View("news"));
   * await (await app.fetch(new Request("http://localhost/news"))).text(); // → "<p>Coming soon</p>"
   * ```
   */
  FallbackView(...fallbacks: Fallback<Context>[]): this {
    this.#registry.assertNotBuilt("set fallback views");
    checkFallbacks(fallbacks);
    this.#record.fallbacks.push(...fallbacks);
    return this;
  }

  /**
   * Returns the registry of parameter types and functions for path templates. Use it to add custom types and functions.
   *
   * @returns The registry.
   *
   * @example `party.Macros();`
   */
  Macros(): Macros<Context> {
    return this.#registry.macros;
  }

  /**
   * Returns all routes of the application, in order of registration.
   *
   * @returns The routes.
   *
   * @example `party.Routes().map(({ Method, Path }) => `${Method} ${Path}`); // → ["GET /teas"]`
   */
  Routes(): readonly Route[] {
    return this.#registry.routes.map((record) => record.route);
  }

  /**
   * Finds a route of the application by its name.
   *
   * @param name The name set with `SetName`, or the default name, such as `GET /users/{id:int}`.
   * @returns The route, or `undefined` if there is none. If several routes have the default name, the last one, which
   * serves the requests.
   *
   * @example `party.GetRoute("tea")?.Path; // → "/teas/{id:int}"`
   */
  GetRoute(name: string): Route | undefined {
    return this.#registry.routes.findLast(({ route }) => route.Name === name)?.route;
  }

  /**
   * Mounts another fetch application, such as a Hono application or another fw application, under a path. The path
   * prefix is removed before requests are passed on. The party's middleware runs first, and the body limits apply.
   *
   * The mounted application receives a request with the effective method, canonical path, scheme and host, along with
   * the connection info that `Deno.serve` provides, including the client's IP address. Repeated slashes below the
   * prefix are kept, because they can be a part of parameter values. The signal is aborted if the client disconnects or
   * a timeout expires. WebSocket handshakes are supported.
   *
   * A mounted fw application also shares the call: the user and its expiry, the language, the request ID and the
   * session are those of the application around it, and a user that it sets is reported back. Its redirects, links and
   * cookies contain the prefix. It is built with this application, starts its background work when a server of either
   * one listens, and ends with the last of them. A function around its `fetch` hides the application.
   *
   * @param path The path, relative to the party.
   * @param inner The application, or its `fetch` function.
   * @returns The routes for the path itself.
   * @throws {FrameworkError} If the application passes requests to this one, so that they would never end.
   *
   * @example Mount another application
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Mount("/old", (request) => new Response(new URL(request.url).pathname));
   * const response = await app.fetch(new Request("http://localhost/old/shop/7"));
   * await response.text(); // → "/shop/7"
   * ```
   */
  Mount(path: string, inner: ForeignFetch | { readonly fetch: ForeignFetch }): Route[] {
    const prefix = joinPaths(this.#record.prefix, path);
    const template = parseTemplate(prefix, this.#registry.macros);
    const fetch = fetchOf(inner);
    checkHandlers([fetch as unknown as Handler], `the mount at ${path}`);
    const handler = mounted(template.segments.length, fetch);
    hostApp(this.#registry, fetch, { ...this.#place(), prefix, template, handler });
    const handlers = [handler];
    this.#addAny({ path: `${path}/{${restOfPath}:path}`, handlers, isMount: true, isPage: true });
    return this.#addAny({ path, handlers, servesSlash: true });
  }

  /**
   * Serves the files of a folder, with content types, validators and range requests. Files outside the folder are never
   * served. By default, hidden files and links that lead out of the folder are not served, and folders are not listed.
   * A file has one name: other spellings that the file system accepts, such as another letter case or a short name on
   * NTFS, get 404.
   *
   * @param path The URL path of the folder, relative to the party.
   * @param dir The folder: a path, or a URL relative to `import.meta.url`, which also works in a compiled binary.
   * @param options The options.
   * @returns The route for the folder itself.
   *
   * @example Serve the files next to this module
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const dir = await Deno.makeTempDir();
   * await Deno.writeTextFile(`${dir}/style.css`, "body { margin: 0 }");
   * const app = fw.New();
   * app.HandleDir("/static", dir);
   *
   * const response = await app.fetch(new Request("http://localhost/static/style.css"));
   * response.headers.get("content-type"); // → "text/css; charset=UTF-8"
   * await response.text(); // → "body { margin: 0 }"
   * await Deno.remove(dir, { recursive: true });
   * ```
   */
  HandleDir(path: string, dir: string | URL, options: DirOptions = {}): Route {
    const { root, below } = folderHandlers(this.#registry, { path, dir, options, party: this.#record });
    this.#add({ method: "GET", path: `${path}/{${restOfPath}:path}`, handlers: [below], isPage: true });
    return this.#add({ method: "GET", path, handlers: [root], servesSlash: true, isPage: true });
  }

  /**
   * Serves the favicon, which browsers request from every site. Clients cache it for a day.
   *
   * @param file The path of the file.
   * @param path The URL path. Defaults to `/favicon.ico`.
   * @returns The route.
   *
   * @example `party.Favicon("./public/favicon.ico");`
   */
  Favicon(file: string | URL, path = "/favicon.ico"): Route {
    checkArgument(file, pathRule, "file", "Favicon");
    const handler: Handler = (ctx) => {
      ctx.Header("cache-control", "public, max-age=86400");
      return ctx.ServeFile(file);
    };
    return this.#add({ method: "GET", path, handlers: [handler], isPage: true });
  }

  /**
   * Installs an extension on this party. Its values, labels, view functions and pages apply to the party, and
   * everything else to the application.
   *
   * @param extension The extension.
   * @returns The value that the extension returns.
   * @throws {FrameworkError} If the application has been built, if the extension is already installed on the party, on
   * an ancestor or on a party inside it, or if it needs another one that is not installed.
   *
   * @example Install an extension
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const clock: fw.Extension<{ now(): number }> = {
   *   Name: "clock",
   *   Install(host) {
   *     host.Page("/clock", (ctx) => ctx.JSON({ now: 7 }));
   *     return { now: () => 7 };
   *   },
   * };
   * const app = fw.New();
   * app.Install(clock).now(); // → 7
   * await (await app.fetch(new Request("http://localhost/clock"))).json(); // → { now: 7 }
   * ```
   */
  Install<T>(extension: Extension<T>): T {
    return install(this.#registry, this.#record, extension, this, (spec) => this.#add(spec));
  }

  /**
   * Returns the path prefix of this party.
   *
   * @returns The prefix, or `/` for the root party.
   *
   * @example `party.Prefix(); // → "/api"`
   */
  Prefix(): string {
    return this.#record.prefix;
  }

  #place(): Place {
    const { prefix, subdomain, uses } = this.#record;
    return { prefix, subdomain, template: this.#prefix(), party: this.#record, uses: [...uses] };
  }

  #addAny(spec: Omit<RouteSpec, "method">): Route[] {
    return Methods.map((method) => this.#add({ ...spec, method, servesAny: true }));
  }

  #add(spec: RouteSpec): Route {
    installCarried(this, spec.handlers);
    return recordRoute(this.#registry, this.#record, { template: this.#prefix(), dones: this.#dones }, spec);
  }

  /** Returns the prefix as a template. It is parsed once. */
  #prefix(): Template {
    return this.#template ??= parseTemplate(this.#record.prefix, this.#registry.macros);
  }

  #append(list: Handler[], handlers: readonly Handler[], name: string): this {
    this.#registry.assertNotBuilt(`add middleware with ${name}`);
    checkHandlers(handlers, `middleware with ${name}`);
    installCarried(this, handlers);
    list.push(...handlers);
    return this;
  }

  #onError(status: number, handlers: readonly Handler[], where: string): this {
    this.#registry.assertNotBuilt(`register ${where}`);
    checkHandlers(handlers, where);
    installCarried(this, handlers);
    if (handlers.length === 0) throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: it has no handler`);
    const { errorHandlers, rule } = this.#record;
    errorHandlers.set(status, joinErrorHandlers(rule, errorHandlers.get(status), handlers, where));
    return this;
  }

  /** Throws if a party belongs to another copy of fw, whose private state cannot be read. */
  static #own(party: Party): Party {
    if (#registry in Object(party)) return party;
    throw new FrameworkError("FW_STATE", foreignReason("Party", party));
  }

  static {
    const own = Party.#own;
    signCopy(this);
    registryOf = (party) => own(party).#registry;
    recordOf = (party) => own(party).#record;
    assertNotBuilt = (party, act) => own(party).#registry.assertNotBuilt(act);
    isBuilt = (party) => own(party).#registry.isBuilt;
    routeRecordsOf = (party) => own(party).#registry.routes;
    appOf = (party) => own(party).#registry.app as ReturnType<typeof appOf>;
    hostInner = (party, fetch, hosts) => hostApp(own(party).#registry, fetch, { ...own(party).#place(), hosts });
    selectRequests = (party, selector) => void (own(party).#record.selector = selector);
    templateOf = (party) => own(party).#prefix();
    viewNamesOf = (party) => own(party).#registry.viewNames();
    addRoute = (party, spec) => own(party).#add(spec);
  }
}
