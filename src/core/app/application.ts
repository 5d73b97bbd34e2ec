/**
 * The application. It is the root party, which is built once and then serves requests.
 *
 * @module
 */

import { methods } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { applyAll, assertFunction } from "../../base/config/returned.ts";
import { runShared } from "../../base/async/async_context.ts";
import { loadModule } from "../../base/async/lazy_module.ts";
import {
  checkConfiguration,
  type Configuration,
  type Configurator,
  defaultConfiguration,
} from "../../base/config/config.ts";
import type { RunningApplication } from "../../base/config/running_application.ts";
import type { Context } from "../context/context.ts";
import { checkFormat } from "../context/format/formats.ts";
import { loadRendering } from "../context/view.ts";
import type { RouterWrapper } from "../context/router_wrapper.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { Format } from "../../pages/formats/format.ts";
import type { AppRuntime } from "../exchange/app_runtime.ts";
import { outerCallOf } from "../exchange/peer/outer_call.ts";
import type { ConnectionInfo } from "../exchange/peer/peer_address.ts";
import type { LevelName } from "../../base/log/level.ts";
import type { Logger } from "../../base/log/logger.ts";
import { underDenoServe } from "../../http/server/deno_serve.ts";
import { type Runner, toRunner } from "../../http/server/runner.ts";
import type { Running } from "../../http/server/serve.ts";
import { parseBasePath } from "../../base/text/base_path.ts";
import type { PathValue } from "../../base/text/path_value.ts";
import { build, type Built, createRuntime } from "./build/build.ts";
import { overlap } from "./build/domain.ts";
import { canOverlap } from "./build/group_routes.ts";
import { checkDenoVersion } from "./deno_version.ts";
import { recordRedirect } from "./host_redirect.ts";
import { logWarnings } from "./record_route.ts";
import { I18n } from "./i18n.ts";
import { takeRun } from "./inspect/captured_run.ts";
import type { Explanation } from "./inspect/explain.ts";
import { closestPaths } from "./inspect/near_routes.ts";
import { extensionsOf, runStartChecks } from "./installed.ts";
import { Life, noteApplication } from "./life.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Party, registryOf } from "./party.ts";
import type { Installed } from "../context/extension.ts";
import { type ErrorObserver, observerNotifier } from "./record/error_observers.ts";
import type { Hosted } from "./record/hosted.ts";
import { traceRegistrations } from "./record/registration_site.ts";
import { checkNames, type Registry } from "./record/registry.ts";
import { wrapFetch } from "./wrap_fetch.ts";
import { reverse } from "./reverse.ts";
import { contextOf, type Fetch } from "./serve/dispatch.ts";
import { exec } from "./serve/exec.ts";
import { domainAt } from "./serve/find_route.ts";
import type { PathPrefixes } from "./serve/path_prefix.ts";

/**
 * A web application.
 *
 * @example Create an application and send it a request
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/ping", (ctx) => ctx.WriteString("pong"));
 *
 * const response = await app.fetch(new Request("http://localhost/ping"));
 * await response.text(); // → "pong"
 * ```
 */
export class Application extends Party implements RunningApplication {
  /**
   * Serves a request in process. `deno serve` also calls this function if the application is a module's default export.
   *
   * @param request The request.
   * @param info The connection, if there is one.
   * @returns The response, or a promise if any handler is asynchronous.
   *
   * @example `const response = await app.fetch(new Request("http://localhost/"));`
   */
  // This is an own property rather than a method, because `deno serve` does not look at prototypes.
  readonly fetch: Fetch;
  /**
   * The translations of the application and the settings that determine the language of a request.
   *
   * @example `app.I18n.Load("./locales", "en", "de");`
   */
  readonly I18n: I18n = new I18n(this);
  readonly #registry: Registry = registryOf(this);
  readonly #logger: Logger = this.#registry.logger;
  readonly #config: Configuration = defaultConfiguration();
  readonly #life = new Life(this.#registry);
  readonly #lifecycle = new Lifecycle(this.#life, this.#logger, this.#config);
  #serve: Fetch | undefined = undefined;
  #built: Built | undefined = undefined;
  #building: Promise<void> | undefined = undefined;
  #prefixes: PathPrefixes | undefined = undefined;
  #hasSitemap = false;
  /** Whether another application passes requests to this one, which then does not attach to `deno serve` itself. */
  #isInner = false;

  /**
   * Created by `fw.New()` and `fw.Default()`.
   *
   * @ignore
   */
  constructor() {
    super();
    this.#registry.build = () => this.Build();
    this.#registry.app = this;
    this.#registry.life = this.#life;
    this.fetch = (request, info) => this.#serve === undefined ? this.#first(request, info) : this.#serve(request, info);
    noteApplication(this.fetch, { registry: this.#registry, life: this.#life, build: () => this.#buildInner() });
  }

  /**
   * Returns the application's logger.
   *
   * @returns The logger.
   *
   * @example `app.Logger().SetLevel("debug");`
   */
  Logger(): Logger {
    return this.#logger;
  }

  /**
   * Returns the application's configuration. To change it, pass configurators to `Configure` or `Run`.
   *
   * @returns The current configuration.
   *
   * @example `app.Configuration().Charset; // → "utf-8"`
   */
  Configuration(): Readonly<Configuration> {
    return this.#config;
  }

  /**
   * Applies configurators. Use this method if the application is not started with `Run`, which also accepts
   * configurators.
   *
   * @param configurators The configurators.
   * @returns This application, for chaining.
   *
   * @example `app.Configure(fw.WithCharset("utf-8"));`
   */
  Configure(...configurators: Configurator[]): this {
    if (configurators.length > 0) this.#registry.assertNotBuilt("configure the application");
    const before = { ...this.#config };
    applyAll(configurators, this.#config, "a configurator");
    if (this.#config.LogLevel !== undefined) setLevel(this.#logger, this.#config.LogLevel);
    if (!this.#config.Development) return this;
    // The settings before each call show where they were set.
    this.#registry.settings.push([new Error(), before]);
    traceRegistrations();
    return this;
  }

  /**
   * Wraps the router. The wrapper is called for every request before routing, whether the application is started with
   * `Run`, with `deno serve` or called in process. It receives the native `Request` and sees the response that the
   * client will receive. If there are several wrappers, the one that was registered last runs first. If a wrapper
   * throws, the request fails as if a handler had thrown the error, but no middleware runs.
   *
   * @param wrapper A function that returns a response, or calls `next` with this or another request and returns its
   * result.
   * @returns This application, for chaining.
   *
   * @example Rewrite the paths of old clients
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/new", (ctx) => ctx.WriteString("moved in"));
   * const moved = new Request("http://localhost/new");
   * app.WrapRouter((request, next) => next(request.url.endsWith("/old") ? moved : request));
   *
   * const response = await app.fetch(new Request("http://localhost/old"));
   * await response.text(); // → "moved in"
   * ```
   */
  WrapRouter(wrapper: RouterWrapper): this {
    this.#registry.assertNotBuilt("wrap the router");
    assertFunction(wrapper, "a router wrapper");
    this.#registry.wrappers.push(wrapper);
    return this;
  }

  /**
   * Redirects one host of the application to another, before routing and before all wrappers. The path and the query
   * string are kept. GET and HEAD requests are redirected with status 301, and all others with 308, which keeps their
   * method and body. Requests to IP addresses are not redirected.
   *
   * @param from The application itself for the root domain, or the party of a subdomain. The party `*.` is for all
   * subdomains without a party of their own.
   * @param to The application itself for the root domain, or the party of a subdomain.
   * @returns The target, for chaining.
   * @throws {FrameworkError} If the hosts are equal, if the target is `*.`, or if a party has a path.
   *
   * @example Redirect the root domain to a subdomain
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const shop = app.SubdomainRedirect(app, app.Subdomain("shop"));
   * shop.Get("/teas", (ctx) => ctx.WriteString("Assam"));
   *
   * const response = await app.fetch(new Request("http://example.com/teas?page=2"));
   * response.headers.get("location"); // → "http://shop.example.com/teas?page=2"
   * ```
   */
  SubdomainRedirect(from: Party, to: Party): Party {
    this.#registry.assertNotBuilt("redirect a subdomain");
    recordRedirect(this.#registry, from, to);
    return to;
  }

  /**
   * Creates the party of the subdomain `www.` and redirects the root domain to it.
   *
   * @returns The party.
   *
   * @example `app.WWW().Get("/", (ctx) => ctx.Redirect("https://shop.example/"));`
   */
  WWW(): Party {
    return this.SubdomainRedirect(this, this.Subdomain("www"));
  }

  /**
   * Registers a format, which `ctx.ReadBody`, `ctx.Negotiate` and results with its content type then use. It takes
   * precedence over a built-in format with the same media type.
   *
   * @param format The format.
   * @returns This application, for chaining.
   * @throws {FrameworkError} If the format has no valid media type, or can neither be written nor read.
   *
   * @example Read and write comma-separated numbers
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.RegisterFormat({
   *   Name: "Numbers",
   *   Types: ["text/x-numbers"],
   *   Encode: (value) => String(value),
   *   Decode: (bytes) => new TextDecoder().decode(bytes).split(",").map(Number),
   * });
   * app.Post("/", async (ctx) => {
   *   const [numbers, error] = await ctx.ReadBody<number[]>();
   *   if (error !== null) return ctx.StopWithError(400, error);
   *   ctx.Negotiation().JSON().MIME("text/x-numbers");
   *   await ctx.Negotiate(numbers.toSorted());
   * });
   *
   * const headers = { "content-type": "text/x-numbers", accept: "text/x-numbers" };
   * const response = await app.fetch(new Request("http://localhost/", { method: "POST", body: "3,1,2", headers }));
   * await response.text(); // → "1,2,3"
   * ```
   *
   * @example `app.RegisterFormat({ Name: "CSV", Types: ["text/csv"], Encode: (value) => String(value) });`
   */
  RegisterFormat(format: Format): this {
    this.#registry.assertNotBuilt("register a format");
    this.#registry.formats.push(checkFormat(format));
    return this;
  }

  /**
   * Registers an observer for failed requests, such as an error tracker. The observer is called for unexpected errors,
   * for errors with status 500 or above, and for failures after the response was sent, such as in streams,
   * `ctx.OnClose` or disposal. Each error is observed once per request. Client errors, such as an `HTTPError` with
   * status 404, are not observed.
   *
   * @param observer A function that receives the request context and the error. It cannot change the response. Use
   * `OnErrorCode` for that. A graceful shutdown waits for the promise it returns.
   * @returns This application, for chaining.
   *
   * @example Send errors to an error tracker
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const seen: string[] = [];
   * const app = fw.New();
   * app.Logger().SetLevel("disable");
   * app.OnError((ctx, error) => void seen.push(`${ctx.Path()}: ${error.message}`));
   * app.Get("/orders", () => {
   *   throw new Error("Disk full");
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/orders"));
   * response.status; // → 500
   * seen; // → ["/orders: Disk full"]
   * await response.body?.cancel();
   * ```
   */
  OnError(observer: ErrorObserver): this {
    this.#registry.assertNotBuilt("observe errors");
    assertFunction(observer, "an observer");
    this.#registry.errorObservers.push(observer);
    return this;
  }

  /**
   * Builds the application. Nothing can be registered afterwards. `Run` and `fetch` build the application
   * automatically. Call this method only if you want to detect errors before the first request.
   *
   * @returns A promise if anything has to be loaded asynchronously, such as a template engine. Await it.
   *
   * @example `await app.Build(); // throws if a route is wrong`
   */
  Build(): Promise<void> | undefined {
    if (this.#building !== undefined || this.#serve !== undefined) return this.#building;
    checkDenoVersion();
    const proxies = checkConfiguration(this.#config);
    if (this.#config.Sitemap !== "" && !this.#hasSitemap) return this.#building = this.#addSitemap();
    const checks = runStartChecks(this.#registry);
    checkNames(this.#registry);
    logWarnings(this.#registry);
    this.#registry.isBuilt = true;
    const runtime = createRuntime(this, this.#config, proxies);
    runtime.formats.push(...this.#registry.formats);
    this.I18n.publishTo((catalog) => {
      runtime.languages = catalog.tags.length > 0 ? { catalog, settings: this.I18n } : undefined;
    });
    this.#registry.basePath = runtime.basePath;
    const merging = canOverlap(this.#registry) ? overlap.get() : undefined;
    if (!(merging instanceof Promise)) return this.#compile(runtime, checks);
    return this.#building = runShared(() => Promise.all([checks, merging]).then(() => this.#compile(runtime)));
  }

  /** Compiles what was registered and loads everything that requests need. */
  #compile(runtime: AppRuntime, checks?: Promise<void>): Promise<void> | undefined {
    const viewFuncs = loadViewFuncs(this.#registry);
    const loading = together([
      checks,
      ...Array.from(this.#registry.inner, buildInner),
      viewFuncs?.then(() => loadViews(this.#registry, this.#config)) ?? loadViews(this.#registry, this.#config),
      loadDevelopment(this, this.#registry, runtime),
      ...this.#registry.loads.map((load) => load(runtime)),
      this.#loadPrefixes(runtime),
    ]);
    const built = build(this.#registry, runtime);
    runtime.reverse = (name, values) => reverse(this.#registry, name, values);
    runtime.closestPaths = (host, path, most) =>
      closestPaths(this.#registry, domainAt(built, host, runtime.config.VHost).subdomain, path, most);
    const notify = observerNotifier(this.#registry.errorObservers, this.#logger);
    if (notify !== undefined) {
      runtime.onError = (ctx, error) => notify(ctx as Context, error);
      this.#registry.observe = (request, error) => notify(contextOf(built, request), error);
    }
    runtime.exec = (ctx, method, path) => exec(built, ctx as Context, method, path);
    this.#life.built = this.#built = built;
    // In a thread of `deno serve --parallel`, there is no other indication.
    if (underDenoServe() && !this.#isInner) this.#lifecycle.adopt();
    const { wrappers } = this.#registry;
    this.#building = undefined;
    if (loading === undefined) return void (this.#serve = wrapFetch(built, wrappers));
    return this.#building = loading.then(() => {
      const all = aroundPrefixes(wrappers, this.#prefixes);
      this.#serve = wrapFetch(built, [...all, ...this.#registry.reloaders]);
      this.#building = undefined;
    });
  }

  /**
   * Builds the path of a named route. Templates can call this function as `urlpath("user", 5)`, or as `url("user", 5)`
   * to include the scheme and host.
   *
   * @param name The route name, as set with `SetName`.
   * @param values The values of the path parameters, in order.
   * @returns The escaped path. It starts with the base path set with `fw.WithBasePath`. In a handler, use
   * `ctx.URLPath`, which also includes the language of the request and the prefix that a proxy has removed.
   * @throws {FrameworkError} If there is no such route, or if a parameter does not accept its value.
   *
   * @example Build the path of a named route
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:long}/notes/{title}", (ctx) => ctx.JSON({})).SetName("note");
   * app.Reverse("note", 5n, "to do"); // → "/users/5/notes/to%20do"
   * ```
   */
  Reverse(name: string, ...values: PathValue[]): string {
    return (parseBasePath(this.#config.BasePath) ?? "") + reverse(this.#registry, name, values).path;
  }

  /**
   * Explains which route serves a request, which handlers run, and why other routes do not match.
   *
   * @param method The HTTP method.
   * @param path The path, as a client would send it.
   * @param subdomain The subdomain, such as `admin.`. Defaults to the root domain.
   * @returns The explanation.
   * @throws {FrameworkError} If the subdomain has no party.
   *
   * @example Find out why a route does not match
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:int}", (ctx) => ctx.JSON({}));
   * const { Route, Others } = await app.Explain("GET", "/users/ann");
   * Route; // → undefined
   * Others; // → [{ Route: "GET /users/{id:int}", Why: '"ann" is not of type int' }]
   * ```
   */
  async Explain(method: string, path: string, subdomain = ""): Promise<Explanation> {
    await this.Build();
    const { explain } = await loadModule(() => import("./inspect/explain.ts"));
    const source = { registry: this.#registry, built: this.#built as Built, prefixes: this.#prefixes };
    return await explain(source, subdomain, method, path);
  }

  /**
   * Starts the server and waits until it has shut down.
   *
   * If the server cannot start, for example because the port is already in use, this method prints a single line to
   * standard error, runs the {@linkcode RegisterOnShutdown} tasks and exits the process with code 1. With
   * `fw.WithoutExit`, the error is returned instead.
   *
   * @param runner The address to listen on: `fw.Addr(":8080")`, `fw.TLS(...)`, `fw.Unix(...)`, an address or a port.
   * @param configurators The configurators, such as `fw.WithPostMaxMemory(64 << 20)` or `fw.WithoutStartupLog`.
   * @returns `null` after a shutdown. With `fw.WithoutExit`, the error if the server could not start or failed.
   *
   * @example `await app.Run(fw.Addr(":8080"));`
   */
  async Run(runner: Runner | string | number, ...configurators: Configurator[]): Promise<Error | null> {
    let running: Running;
    try {
      this.Configure(...configurators);
      const where = toRunner(runner);
      if (takeRun !== undefined) return await takeRun(this);
      await this.Build();
      if (underDenoServe(where)) return null;
      running = await this.#lifecycle.listen(where, this.#serve ?? this.fetch);
    } catch (error) {
      return await this.#lifecycle.fail(error);
    }
    return await this.#lifecycle.untilEnd(running);
  }

  /**
   * Starts the server on an address. Shorthand for `Run(fw.Addr(address))`.
   *
   * @param address The address, such as `:8080`, or the port.
   * @param configurators The configurators.
   * @returns `null` after a shutdown. With `fw.WithoutExit`, the error if the server could not start or failed.
   *
   * @example `await app.Listen(":8080");`
   */
  Listen(address: string | number, ...configurators: Configurator[]): Promise<Error | null> {
    return this.Run(address, ...configurators);
  }

  /**
   * Called by `deno serve` when it starts listening, if the application is a module's default export. Do not call it
   * yourself.
   *
   * @param address The address that Deno listens on.
   *
   * @example `app.onListen({ transport: "tcp", hostname: "127.0.0.1", port: 8080 });`
   */
  onListen(address: Deno.Addr): void {
    const adopt = () => this.#lifecycle.adopt(address);
    // In development, the build adds the pages whose address is logged.
    if (this.#config.Development) void Promise.try(() => this.Build()).then(adopt, adopt);
    else adopt();
  }

  /**
   * Builds the application and starts the background work of its extensions, such as job queues, without a server. Use
   * it in tests, or if you pass `app.fetch` to `Deno.serve` yourself. `Run` and `deno serve` do this themselves.
   *
   * @returns An object that shuts down the application when it is disposed of, for `await using`.
   *
   * @example `await using started = await app.Start();`
   */
  async Start(): Promise<AsyncDisposable> {
    try {
      await this.Build();
    } catch (error) {
      await this.Shutdown();
      throw error;
    }
    this.#lifecycle.start();
    return { [Symbol.asyncDispose]: () => this.Shutdown() };
  }

  /**
   * Shuts down the server gracefully. No new connections are accepted, and in-flight requests are drained. Then the
   * {@linkcode RegisterOnShutdown} tasks run and `Run` resolves. If no server is running, only the tasks run, so that a
   * test that only calls `fetch` can release the application's resources.
   *
   * @returns A promise that resolves when the server has stopped and the tasks have run. A handler or a task that calls
   * this method does not need to await the promise, because the shutdown waits for the handler or task.
   *
   * @example `await app.Shutdown();`
   */
  async Shutdown(): Promise<void> {
    await this.#lifecycle.shutdown();
  }

  /**
   * Registers a function to run after the server has shut down, before `Run` resolves, for example to close a database
   * connection. Functions run in reverse order of registration. Errors are logged.
   *
   * @param task The function to run. If it returns a promise, the shutdown waits for it until the `ShutdownTimeout`,
   * but at least for a second.
   *
   * @example `app.RegisterOnShutdown(() => database.close());`
   */
  RegisterOnShutdown(task: () => unknown): void {
    assertFunction(task, "a task");
    this.#life.shutdownTasks.push(task);
  }

  /**
   * Registers a function to run when a shutdown begins, while requests are still being served. Use it to end streams
   * that would otherwise never end. Functions run in reverse order of registration. Errors are logged.
   *
   * @param task The function to run. If it returns a promise, the shutdown waits for it, up to half of the
   * `ShutdownTimeout`.
   *
   * @example `app.RegisterOnInterrupt(() => app.Logger().Info("stopping"));`
   */
  RegisterOnInterrupt(task: () => unknown): void {
    assertFunction(task, "a task");
    this.#life.interruptTasks.push(task);
  }

  /**
   * Reports a failure that no request has caused, such as that of a job, to the {@linkcode OnError} observers. They run
   * as for a failed request.
   *
   * @param error The error.
   * @param source A request that identifies the failed work in logs, such as `new Request("http://localhost/sync")`.
   *
   * @example `app.Report(new Error("The disk is full"), new Request("http://localhost/"));`
   */
  Report(error: Error, source: Request): void {
    checkArgument(source, methods<Request>("clone"), "source", "Report");
    this.#registry.observe?.(source, error);
  }

  /**
   * Returns the installed extensions and their contributions, in order of installation, followed by those of the
   * applications that this one passes requests to. The health endpoints, metrics and development pages show them.
   *
   * @returns The extensions.
   *
   * @example `app.Extensions().map(({ Name }) => Name); // → ["sessions"]`
   */
  Extensions(): readonly Installed[] {
    return extensionsOf(this.#registry);
  }

  /** Adds the routes of the sitemap, and then builds the application. */
  async #addSitemap(): Promise<void> {
    const { addSitemap } = await loadModule(() => import("./sitemap.ts"));
    this.#hasSitemap = true;
    addSitemap(this, this.#config);
    this.#building = undefined;
    await this.Build();
  }

  /** Loads the function that removes prefixes from paths, if there are any. */
  #loadPrefixes(runtime: AppRuntime): Promise<void> | undefined {
    const hasLanguages = this.I18n.Loaded() && this.I18n.PathRedirect;
    if (!hasLanguages && runtime.basePath === "") return undefined;
    return loadModule(() => import("./serve/path_prefix.ts")).then(({ PathPrefixes, warnOfHidden }) => {
      this.#prefixes = new PathPrefixes(runtime, hasLanguages);
      warnOfHidden(this.#registry.routes.map(({ route }) => route.Path), runtime.basePath, this.#logger);
    });
  }

  #buildInner(): Promise<void> | undefined {
    this.#isInner = true;
    return this.Build();
  }

  #first(request: Request, info?: ConnectionInfo): Response | Promise<Response> {
    // The build serves all calls. What it creates, such as singletons, must not keep the asynchronous context of the
    // first one. Without anything to create, it stays synchronous.
    const isShared = this.#registry.startChecks.length > 0 || outerCallOf(info) !== undefined;
    const building = isShared ? runShared(() => this.Build()) : this.Build();
    return building === undefined ? this.fetch(request, info) : building.then(() => this.fetch(request, info));
  }
}

/** Sets the log level. The logger cannot use fw's error class, so the error code is added here. */
function setLevel(logger: Logger, level: LevelName): void {
  try {
    logger.SetLevel(level);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", messageOf(error), { cause: error });
  }
}

/** Loads the warnings and pages for developers if they are enabled. */
function loadDevelopment(app: Application, registry: Registry, runtime: AppRuntime): Promise<void> | undefined {
  if (!runtime.config.Development) return undefined;
  return loadModule(() => import("./inspect/development.ts")).then(({ develop }) => develop(app, registry, runtime));
}

/** Adds the wrapper that removes prefixes from paths, before and after all other wrappers. */
function aroundPrefixes(
  wrappers: readonly RouterWrapper[],
  prefixes: PathPrefixes | undefined,
): readonly RouterWrapper[] {
  if (prefixes === undefined) return wrappers;
  const wrapper = prefixes.wrapper();
  return wrappers.length === 0 ? [wrapper] : [wrapper, ...wrappers, wrapper];
}

/** Waits for everything that must be loaded. Returns `undefined` if there is nothing to wait for. */
function together(loads: readonly (Promise<void> | void)[]): Promise<void> | undefined {
  const loading = loads.filter((load) => load !== undefined);
  return loading.length === 0 ? undefined : Promise.all(loading).then(() => undefined);
}

/** Adds the view functions of extensions to the template engines, if there are any, and passes them on to mounts. */
function loadViewFuncs(registry: Registry): Promise<void> | undefined {
  const names = registry.viewNames();
  if (names.length === 0) return undefined;
  for (const inner of registry.inner) inner.registry.outerFuncs.push(...names);
  return loadModule(() => import("./seam/view_funcs.ts")).then(({ addViewFuncs }) => addViewFuncs(registry));
}

/** Builds an application that this one passes requests to. Its errors are reported after those of this one. */
function buildInner(inner: Hosted<Registry>): Promise<void> | undefined {
  try {
    return inner.build();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Loads every template engine once. Returns a promise only if an engine is asynchronous. */
function loadViews(registry: Registry, { Development }: Configuration): Promise<void> | undefined {
  const engines = new Set(registry.parties.map((party) => party.engine));
  const loads = [...engines].map((engine) => {
    if (Development) engine?.Reload?.();
    return engine?.Load();
  });
  return together([...loads, engines.values().some((engine) => engine !== undefined) ? loadRendering() : undefined]);
}

/**
 * Creates an application without middleware. If a handler throws, the client still receives a plain 500 response.
 *
 * @returns The application.
 */
export function New(): Application {
  return new Application();
}
