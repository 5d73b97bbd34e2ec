/**
 * Parties: groups of routes under one prefix, with middleware of their own. They only record.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { isHeaderToken } from "../base/header_token.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { type MethodName, Methods } from "../http/methods.ts";
import type { Macros } from "../macro/macros.ts";
import { parseBelow, parseTemplate, type Template } from "../macro/template.ts";
import type { DirOptions } from "../static/options.ts";
import type { Fallback } from "../context/view_state.ts";
import type { Engine } from "../view/engine.ts";
import { type APIContainer, create } from "./api_container.ts";
import { folderHandlers, restOfPath } from "./folder_route.ts";
import { foreignSpelling } from "./foreign_template.ts";
import { type ForeignFetch, mounted } from "./mount.ts";
import { joinPaths, type Prefix, readPrefix } from "./party_prefix.ts";
import { checkHandlers, type Dependent, type PartyRecord, Registry } from "./registry.ts";
import { checkRule, joinErrorHandlers, keptRoute, type RouteRegisterRule } from "./register_rule.ts";
import { Route } from "./route.ts";
import type { RouteInput } from "./route_description.ts";

/** What a route is created from. */
interface RouteSpec {
  readonly method: string;
  readonly path: string;
  /** Kept as they are: the list must not change afterwards. */
  readonly handlers: readonly Handler[];
  readonly controller?: string;
  readonly action?: string;
  /** The checked inputs of the handlers. */
  readonly inputs?: readonly RouteInput[];
  /** The class of the controller that serves it. */
  readonly owner?: object | undefined;
  /** What the handlers are part of, where that has dependencies. */
  readonly dependent?: Dependent;
  /** Whether a final slash is part of the path and not corrected away. */
  readonly servesSlash?: boolean;
  /** Whether it serves methods of one's own too. */
  readonly servesAny?: boolean;
  /** Whether another application serves it, which reads escaped slashes by itself. */
  readonly isMount?: boolean;
}

// Friends: what other files of fw may do with a party, set in its static block.

/** The registry that a party records to. */
export let registryOf: (party: Party) => Registry;
/** The record of a party. */
export let recordOf: (party: Party) => PartyRecord;
/** The prefix of a party as a template. */
export let templateOf: (party: Party) => Template;
/** Registers a route with all that is known of it. */
export let addRoute: (party: Party, spec: RouteSpec) => Route;

/**
 * A group of routes under one prefix.
 *
 * @example A group with a guard of its own
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
   * Created by `app.Party` and the like; without arguments it is the root of an application.
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
      errorUses: [],
      errorHandlers: new Map(),
      engine: undefined,
      layout: undefined,
      fallbacks: [],
      rule: parent === undefined ? undefined : parent.#record.rule,
      selector: undefined,
    };
    this.#dones = parent === undefined ? [] : [...parent.#dones];
    this.#registry.parties.push(this.#record);
  }

  /**
   * Registers handlers for a method and a path.
   *
   * @param method The HTTP method, in any case.
   * @param path The path template, relative to the party: `/user/{id:long}`.
   * @param handlers The handlers; each but the last passes on with `ctx.Next()`.
   * @returns The route.
   *
   * @example A method that is not one of the others
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
   * @param methods The methods, separated by blanks: `"GET POST"`; `ANY` stands for all.
   * @param paths The paths, separated by blanks: `"/a /b"`.
   * @param handlers The handlers.
   * @returns The routes.
   */
  HandleMany(methods: string, paths: string, ...handlers: Handler[]): Route[] {
    // A blank inside of braces separates the functions of a parameter.
    const each = paths.trim().split(/\s+(?![^{]*\})/);
    const verbs = methods.trim().split(/\s+/).flatMap((method) => isAny(method) ? Methods : [method]);
    return each.flatMap((path) => verbs.map((method) => this.Handle(method, path, ...handlers)));
  }

  /**
   * Registers handlers for GET, which also serves HEAD.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   *
   * @example A route with a guard of its own
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
    return this.#add({ method: "GET", path, handlers });
  }

  /**
   * Registers handlers for POST.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   *
   * @example A route that creates something
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
   */
  Post(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "POST", path, handlers });
  }

  /**
   * Registers handlers for PUT.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Put(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "PUT", path, handlers });
  }

  /**
   * Registers handlers for DELETE.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Delete(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "DELETE", path, handlers });
  }

  /**
   * Registers handlers for PATCH.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Patch(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "PATCH", path, handlers });
  }

  /**
   * Registers handlers for HEAD.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Head(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "HEAD", path, handlers });
  }

  /**
   * Registers handlers for OPTIONS.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Options(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "OPTIONS", path, handlers });
  }

  /**
   * Registers handlers for CONNECT.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Connect(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "CONNECT", path, handlers });
  }

  /**
   * Registers handlers for TRACE.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Trace(path: string, ...handlers: Handler[]): Route {
    return this.#add({ method: "TRACE", path, handlers });
  }

  /**
   * Registers handlers for every method.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The routes, one per method.
   */
  Any(path: string, ...handlers: Handler[]): Route[] {
    return this.#addAny({ path, handlers });
  }

  /**
   * Creates a group of routes below this one.
   *
   * @param path Its prefix; `admin.` is a subdomain, `*.` any other subdomain.
   * @param handlers Its first middleware.
   * @returns The new party.
   *
   * @example Routes that share a path and middleware
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
   */
  Party(path: string, ...handlers: Handler[]): Party {
    this.#registry.assertNotBuilt(`create the party "${path}"`);
    checkHandlers(handlers, `the party "${path}"`);
    const prefix = readPrefix(path, { subdomain: this.#record.subdomain, path: this.#record.prefix });
    // Read here, so that a bad prefix is reported where it is written and not at its first route.
    const template = parseTemplate(prefix.path, this.#registry.macros);
    this.#warnOfSpelling(path.replace(/^\*\./, ""), path);
    const party = new Party(this, prefix, handlers);
    party.#template = template;
    return party;
  }

  /**
   * Creates a group of routes and hands it to a function.
   *
   * @param path Its prefix.
   * @param configure Receives the new party.
   * @returns The new party.
   */
  PartyFunc(path: string, configure: (party: Party) => void): Party {
    const party = this.Party(path);
    configure(party);
    return party;
  }

  /**
   * Handlers with dependencies on this party: the further arguments of a handler are dependencies and inputs by their
   * default values, and what it returns is the response, as with controllers. Middleware may be such functions too.
   * Dependencies are injected with `mvc.Inject` of `@fw/web/mvc`.
   *
   * @example A handler with an input and a dependency
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
   * @param configurators Receive the container.
   * @returns The container, the same at every call.
   */
  ConfigureContainer(...configurators: ((api: APIContainer) => void)[]): APIContainer {
    const container = containerOf(this);
    for (const configure of configurators) configure(container);
    return container;
  }

  /**
   * Creates a group of routes for a subdomain.
   *
   * @param name The subdomain, with or without its final dot; `*` for any other.
   * @param handlers Its first middleware.
   * @returns The new party.
   */
  Subdomain(name: string, ...handlers: Handler[]): Party {
    return this.Party(name.endsWith(".") ? name : `${name}.`, ...handlers);
  }

  /**
   * Adds middleware to the routes registered from now on, here and in parties created from now on.
   *
   * @param handlers The middleware; each passes on with `ctx.Next()`.
   * @returns This party.
   *
   * @example Middleware for the routes that follow
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
   */
  Use(...handlers: Handler[]): this {
    return this.#append(this.#record.uses, handlers, "Use");
  }

  /**
   * Adds middleware to every route of the application, earlier and later ones.
   *
   * @param handlers The middleware.
   * @returns This party.
   */
  UseGlobal(...handlers: Handler[]): this {
    return this.#append(this.#registry.globals, handlers, "UseGlobal");
  }

  /**
   * Adds middleware to every request of this party: those for its routes, and those below its prefix that lead to no
   * route. Middleware whose results error pages show belongs here and not into {@linkcode Use}: sessions, users and
   * CSRF tokens.
   *
   * @param handlers The middleware.
   * @returns This party.
   *
   * @example Middleware that sees every request
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
   */
  UseRouter(...handlers: Handler[]): this {
    return this.#append(this.#record.routerUses, handlers, "UseRouter");
  }

  /**
   * Adds middleware for the error pages of this party: it runs before the handlers of `OnErrorCode` and
   * `OnAnyErrorCode`.
   *
   * @param handlers The middleware.
   * @returns This party.
   */
  UseError(...handlers: Handler[]): this {
    return this.#append(this.#record.errorUses, handlers, "UseError");
  }

  /**
   * Adds handlers that run after the main handler of the routes registered from now on, unless one stops the chain.
   *
   * @param handlers The handlers; each runs without being called for.
   * @returns This party.
   *
   * @example What is done after the handlers
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
   * Registers the error page for a status code: handlers that write the body if no handler of the request wrote one,
   * below this party's prefix. To observe errors, use `OnError`; for errors of controllers, `HandleError`.
   *
   * @param status The status, 400 to 599.
   * @param handlers The handlers.
   * @returns This party.
   *
   * @example A page for what is not there
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
        `Cannot handle the error status "${status}": it is not between 400 and 599`,
      );
    }
    return this.#onError(status, handlers, `the handler of status ${status}`);
  }

  /**
   * Registers the error page for all status codes without one of their own: handlers that write the body if no handler
   * of the request wrote one.
   * A party for programs registers `fw.WriteProblem`.
   *
   * @param handlers The handlers.
   * @returns This party.
   *
   * @example All errors as JSON
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
    return this.#onError(0, handlers, "the handler of any error status");
  }

  /**
   * Chooses what happens to routes and error handlers that exist already: to those with the same method, subdomain and
   * path template, its functions included. The rule applies to this party from now on, and to parties created from it
   * afterwards.
   *
   * `fw.RouteOverride`, the default, replaces the earlier route. `fw.RouteSkip` keeps and returns it. `fw.RouteError`
   * throws. With `fw.RouteOverlap` both are served: if the earlier route stops without a body (`StopExecution`,
   * `StopWithStatus`), or while a recorder is in use, its response is taken back except for the status, and the later
   * route runs. Middleware that both routes share runs once.
   *
   * @param rule The rule.
   * @returns This party.
   *
   * @example A page for guests at the path of a page for users
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
   * Chooses the template engine for the routes of this party and of those below.
   *
   * @param engine The engine.
   * @returns This party.
   *
   * @example Templates of a folder
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
    this.#record.engine = engine;
    return this;
  }

  /**
   * Chooses the layout for the views of this party and those below, error pages included. The layout that a handler or
   * a template chooses takes precedence.
   *
   * @param name The layout's name, or `fw.NoLayout`.
   * @returns This party.
   */
  Layout(name: string): this {
    this.#registry.assertNotBuilt("choose a layout");
    this.#record.layout = name;
    return this;
  }

  /**
   * Chooses what is rendered if a template or a layout does not exist. The fallbacks are tried in order, once per
   * request; the status stays as it is.
   *
   * @param fallbacks The name of another view, `{ Layout: name }` for the same view in another layout, or a function
   *   that writes the response.
   * @returns This party.
   *
   * @example
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
    this.#registry.assertNotBuilt("choose fallback views");
    this.#record.fallbacks.push(...fallbacks);
    return this;
  }

  /**
   * The parameter types and functions of path templates.
   *
   * @returns The registry, to add one's own.
   */
  Macros(): Macros {
    return this.#registry.macros;
  }

  /**
   * Lists the routes of the whole application in the order of their registration.
   *
   * @returns The routes.
   */
  Routes(): readonly Route[] {
    return this.#registry.routes.map((record) => record.route);
  }

  /**
   * Hands everything below a path to another fetch application, such as one of Hono or another one of fw, with the path
   * cut off. Middleware of this party runs before it, and the limits on bodies hold. The application receives a request
   * with the method, the canonical path, the scheme and the host that this application sees, what `Deno.serve` would
   * tell it of the connection, with the client's address, and WebSocket handshakes.
   *
   * @param path The path, relative to the party.
   * @param fetch The application's `fetch`.
   * @returns The routes of the path itself.
   *
   * @example Another application below a path
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Mount("/old", (request) => new Response(new URL(request.url).pathname));
   * const response = await app.fetch(new Request("http://localhost/old/shop/7"));
   * await response.text(); // → "/shop/7"
   * ```
   */
  Mount(path: string, fetch: ForeignFetch): Route[] {
    const { segments } = parseTemplate(joinPaths(this.#record.prefix, path), this.#registry.macros);
    const handlers = [mounted(segments.length, fetch)];
    const below = this.#addAny({ path: `${path}/{${restOfPath}:path}`, handlers, isMount: true });
    for (const route of below) route.Describe({ Hidden: true });
    return this.#addAny({ path, handlers, servesSlash: true });
  }

  /**
   * Serves a folder: its files with validators, ranges and media types, and never a file outside of it. Hidden files
   * and links that lead out are not served, and folders are not listed, unless the options say so.
   *
   * @param path The path of the folder, relative to the party.
   * @param dir The folder: a path, or a URL relative to `import.meta.url`, which works inside a compiled binary too.
   * @param options How it is served.
   * @returns The route of the folder itself.
   *
   * @example Serving the files beside this module
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
    const { root, below } = folderHandlers(this.#registry, { path, dir, options });
    this.#add({ method: "GET", path: `${path}/{${restOfPath}:path}`, handlers: [below] }).Describe({ Hidden: true });
    return this.#add({ method: "GET", path, handlers: [root], servesSlash: true }).Describe({ Hidden: true });
  }

  /**
   * Serves the icon that browsers ask every site for.
   *
   * @param file The file.
   * @param path Where it lies; `/favicon.ico` unless given.
   * @returns The route.
   */
  Favicon(file: string | URL, path = "/favicon.ico"): Route {
    const handler: Handler = (ctx) => {
      ctx.Header("cache-control", "public, max-age=86400");
      return ctx.ServeFile(file);
    };
    return this.#add({ method: "GET", path, handlers: [handler] }).Describe({ Hidden: true });
  }

  /**
   * Returns the path prefix of this party's routes.
   *
   * @returns The prefix; `/` for the root.
   */
  Prefix(): string {
    return this.#record.prefix;
  }

  #addAny(spec: Omit<RouteSpec, "method">): Route[] {
    return Methods.map((method) => this.#add({ ...spec, method, servesAny: true }));
  }

  #add(spec: RouteSpec): Route {
    const method = checkMethod(spec.method, spec.path);
    const path = joinPaths(this.#record.prefix, spec.path);
    const where = `${method} ${this.#record.subdomain}${path}`;
    if (this.#registry.isBuilt) this.#registry.assertNotBuilt(`register ${where}`);
    checkHandlers(spec.handlers, where);
    if (spec.handlers.length === 0) {
      throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: it has no handler`);
    }
    this.#warnOfSpelling(spec.path, where);
    const template = parseBelow(this.#prefix(), spec.path, path, this.#registry.macros);
    const { rule } = this.#record;
    const kept = keptRoute(rule, this.#registry.index, { method, subdomain: this.#record.subdomain, template }, where);
    if (kept !== undefined) return kept.route;
    const route = new Route({
      Method: method,
      Path: path.replace(unshown, "/*"),
      Subdomain: this.#record.subdomain,
      Params: template.names.at(-1) === restOfPath ? template.names.slice(0, -1) : template.names,
      Controller: spec.controller,
      Action: spec.action,
      Inputs: spec.inputs ?? noInputs,
    });
    this.#registry.routes.push({
      route,
      template,
      party: this.#record,
      uses: copyOf(this.#record.uses),
      handlers: spec.handlers,
      dones: copyOf(this.#dones),
      rule,
      owner: spec.owner,
      dependent: spec.dependent,
      servesSlash: spec.servesSlash === true,
      isMount: spec.isMount === true,
      servesAny: spec.servesAny === true,
    });
    return route;
  }

  /** The prefix as a template, read once. */
  #prefix(): Template {
    return this.#template ??= parseTemplate(this.#record.prefix, this.#registry.macros);
  }

  /** Warns of a path that was copied from another framework: it would match its own text and nothing else. */
  #warnOfSpelling(path: string, where: string): void {
    const spelling = foreignSpelling(path);
    if (spelling === undefined) return;
    this.#registry.logger.Warnf(
      `Path of "%s" matches the text "%s" and nothing else: write "%s" for a parameter`,
      where,
      spelling.found,
      spelling.ours,
    );
  }

  #append(list: Handler[], handlers: readonly Handler[], name: string): this {
    this.#registry.assertNotBuilt(`add middleware with ${name}`);
    checkHandlers(handlers, `middleware with ${name}`);
    list.push(...handlers);
    return this;
  }

  #onError(status: number, handlers: readonly Handler[], where: string): this {
    this.#registry.assertNotBuilt(`register ${where}`);
    checkHandlers(handlers, where);
    if (handlers.length === 0) throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: it has no handler`);
    const { errorHandlers, rule } = this.#record;
    errorHandlers.set(status, joinErrorHandlers(rule, errorHandlers.get(status), handlers, where));
    return this;
  }

  static {
    registryOf = (party) => party.#registry;
    recordOf = (party) => party.#record;
    templateOf = (party) => party.#prefix();
    addRoute = (party, spec) => party.#add(spec);
  }
}

/** The parameter of folders and mounted applications: only fw knows it, so logs and lists do not show it. */
const unshown = `/{${restOfPath}:path}`;
const none: readonly Handler[] = [];
const noInputs: readonly RouteInput[] = [];

/** The same handlers, whatever is added later; most routes have nothing but their own. */
function copyOf(handlers: readonly Handler[]): readonly Handler[] {
  return handlers.length === 0 ? none : handlers.slice();
}

const usualMethods: ReadonlySet<string> = new Set(Methods);

/** Methods are tokens (RFC 9110, 9.1): any will do, `PROPFIND` as well as `GET`. */
function checkMethod(method: string, path: string): string {
  if (usualMethods.has(method)) return method;
  const verb = String(method).toUpperCase();
  if (isHeaderToken(verb)) return verb;
  throw new FrameworkError("FW_ROUTE", `Cannot register the path "${path}": "${method}" is not an HTTP method`);
}

function isAny(method: string): boolean {
  return /^(?:any|all|\*)$/i.test(method);
}

/**
 * The container of a party.
 *
 * @param party The party.
 */
function containerOf(party: object): APIContainer {
  return create(party);
}
