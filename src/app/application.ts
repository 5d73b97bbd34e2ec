/**
 * The application: the root of all parties, built once, then served.
 *
 * @module
 */

import { checkConfiguration, type Configuration, type Configurator, defaultConfiguration } from "../base/config.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { PathValue } from "../base/path_value.ts";
import { messageOf } from "../base/to_error.ts";
import type { AppRuntime } from "../context/app_runtime.ts";
import type { ConnectionInfo } from "../context/client/peer_address.ts";
import type { Context } from "../context/context.ts";
import type { LevelName } from "../log/level.ts";
import type { Logger } from "../log/logger.ts";
import * as logger from "../middleware/logger.ts";
import * as recover from "../middleware/recover.ts";
import { underDenoServe } from "../server/deno_serve.ts";
import { type Runner, toRunner } from "../server/runner.ts";
import type { Running } from "../server/serve.ts";
import { build, createRuntime } from "./build.ts";
import { checkDenoVersion } from "./deno_version.ts";
import type { Domain } from "./domain.ts";
import { type ErrorObserver, tellObservers } from "./error_observers.ts";
import { logWarnings } from "./handler_warnings.ts";
import { I18n } from "./i18n.ts";
import { takeRun } from "./inspect/captured_run.ts";
import type { Explanation } from "./inspect/explain.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Party, registryOf } from "./party.ts";
import { checkNames, type Registry } from "./registry.ts";
import { reverse } from "./reverse.ts";
import type { RouterWrapper, Serve } from "../context/router_wrapper.ts";
import { createFetch, type Fetch } from "./serve/dispatch.ts";
import { exec } from "./serve/exec.ts";
import { withHostCheck } from "./serve/host_check.ts";
import { languagePaths } from "./serve/language_path.ts";

/**
 * A web application.
 *
 * @example From nothing to a response
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
export class Application extends Party implements Host {
  /**
   * Serves one request in process. `deno serve` calls it too, when the application is a module's default export.
   *
   * @param request The request.
   * @param info The connection, if there is one.
   * @returns The response, or a promise of it where a handler is asynchronous.
   */
  // A property of its own, and not a method: `deno serve` does not look at prototypes.
  readonly fetch: Fetch;
  /** The translations of the application and the settings that select the language of a request. */
  readonly I18n: I18n = new I18n();
  readonly #registry: Registry = registryOf(this);
  readonly #logger: Logger = this.#registry.logger;
  readonly #config: Configuration = defaultConfiguration();
  readonly #lifecycle = new Lifecycle(this.#logger, this.#config);
  #serve: Fetch | undefined = undefined;
  #domains: readonly Domain[] = [];
  #building: Promise<void> | undefined = undefined;

  /**
   * Created by `fw.New()` and `fw.Default()`.
   *
   * @ignore
   */
  constructor() {
    super();
    // First, so that it runs last: the tasks of the program may still need what is closed there.
    this.#lifecycle.addShutdownTask(() => closeAll(this.#registry));
    this.fetch = (request, info) => this.#serve === undefined ? this.#first(request, info) : this.#serve(request, info);
  }

  /**
   * The application's logger.
   *
   * @returns The logger, to write with or to configure.
   */
  Logger(): Logger {
    return this.#logger;
  }

  /**
   * Returns the application's configuration. Change it with configurators, given to `Configure` or `Run`.
   *
   * @returns The configuration as it stands.
   */
  Configuration(): Readonly<Configuration> {
    return this.#config;
  }

  /**
   * Applies configurators, as `Run` does; for an application that is served without `Run`.
   *
   * @param configurators What to change.
   * @returns This application.
   */
  Configure(...configurators: Configurator[]): this {
    if (configurators.length > 0) this.#registry.assertNotBuilt("configure the application");
    for (const configure of configurators) configure(this.#config);
    if (this.#config.LogLevel !== undefined) setLevel(this.#logger, this.#config.LogLevel);
    return this;
  }

  /**
   * Wraps the serving of every request, under `Run` and `deno serve` as well as in process. The last one given runs
   * first. It sees the platform's request before a route is looked for, and the response as the client will get it.
   *
   * @param wrapper Responds itself, or returns what `next` returns for this request or for another.
   * @returns This application.
   *
   * @example Another path for old clients
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
    this.#registry.wrappers.push(wrapper);
    return this;
  }

  /**
   * Observes the failures of requests, for error trackers: unexpected errors, responses with a status from 500 up that
   * carry an error, and failures after the response was sent, in streams, `ctx.OnClose` and disposal. Each error is
   * observed once per request. Client errors, such as an `HTTPError` with status 404, are not failures.
   *
   * @param observer Called with the request's context and the error. It cannot change the response; use `OnErrorCode`
   * for that. A shutdown waits for the promise that it returns.
   * @returns This application.
   *
   * @example An error tracker
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
    this.#registry.errorObservers.push(observer);
    return this;
  }

  /**
   * Folds everything that was registered; nothing can be registered afterwards. `Run` and `fetch` do it by themselves,
   * so call it only to see what is wrong before the first request.
   *
   * @returns A promise if a view engine takes time to load, else nothing.
   */
  Build(): Promise<void> | undefined {
    if (this.#building !== undefined || this.#serve !== undefined) return this.#building;
    checkDenoVersion();
    const proxies = checkConfiguration(this.#config);
    for (const check of this.#registry.builders) check(this.#config);
    checkNames(this.#registry);
    logWarnings(this.#registry);
    this.#registry.isBuilt = true;
    const runtime = createRuntime(this, this.#config, proxies);
    const loading = together([
      loadViews(this.#registry, this.#config),
      loadDevelopment(this.#registry, runtime),
      ...this.#registry.loads.map((load) => load()),
      loadLanguages(this.I18n, runtime),
    ]);
    const built = build(this.#registry, runtime);
    runtime.reverse = (name, values) => reverse(this.#registry, name, values);
    const tell = tellObservers(this.#registry.errorObservers, this.#logger, built.trailing);
    if (tell !== undefined) runtime.onError = (ctx, error) => tell(ctx as Context, error);
    runtime.exec = (ctx, method, path) => exec(built, ctx as Context, method, path);
    this.#lifecycle.use(built);
    this.#domains = [built.root, ...built.subdomains];
    // In a thread of `deno serve --parallel` nothing else tells.
    if (underDenoServe()) this.#lifecycle.adopt();
    const fetch = wrapFetch(createFetch(built), runtime, this.#wrappers(runtime));
    if (loading === undefined) return void (this.#serve = fetch);
    return this.#building = loading.then(() => {
      this.#serve = fetch;
      this.#building = undefined;
    });
  }

  /** The wrappers of the router; languages are cut off paths first, so that rules are written without them. */
  #wrappers(runtime: AppRuntime): readonly RouterWrapper[] {
    const { wrappers } = this.#registry;
    return this.I18n.Loaded() && this.I18n.PathRedirect ? [...wrappers, languagePaths(runtime)] : wrappers;
  }

  /**
   * Builds a path that leads to a route, by the name that `SetName` gave it. Templates have it as
   * `urlpath("user", 5)`, and with scheme and host as `url("user", 5)`.
   *
   * @param name The name of the route.
   * @param values The values of its parameters, in order; one that its parameter does not accept is an error.
   * @returns The path, escaped.
   *
   * @example A path by its name
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:long}/notes/{title}", (ctx) => ctx.JSON({})).SetName("note");
   * app.Reverse("note", 5n, "to do"); // → "/users/5/notes/to%20do"
   * ```
   */
  Reverse(name: string, ...values: PathValue[]): string {
    return reverse(this.#registry, name, values).path;
  }

  /**
   * Explains which route a request leads to, through which handlers, and why not to another.
   *
   * @param method The HTTP method.
   * @param path The path, as a client would send it.
   * @param subdomain The subdomain that is asked, such as `admin.`; the root domain unless given.
   * @returns What becomes of such a request.
   *
   * @example Why a request does not lead where it should
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
    const { explain } = await import("./inspect/explain.ts");
    const domain = this.#domains.find((each) => each.subdomain === subdomain);
    if (domain === undefined) {
      throw new FrameworkError("FW_STATE", `Cannot explain a request to "${subdomain}": it has no party`);
    }
    return explain({ registry: this.#registry, domain, config: this.#config }, method, path);
  }

  /**
   * Starts the server and waits until it has shut down.
   *
   * A server that cannot start, for example because its port is in use, is reported in one line on standard error. Then
   * the tasks of {@linkcode RegisterOnShutdown} run, and the process ends with exit code 1, whatever else keeps it
   * alive. `fw.WithoutExit` returns the error to the caller instead.
   *
   * @param runner What to listen on: `fw.Addr(":8080")`, `fw.TLS(...)`, `fw.Unix(...)`, or an address or port.
   * @param configurators Settings: `fw.WithPostMaxMemory(64 << 20)`, `fw.WithoutStartupLog`.
   * @returns `null` after a shutdown; with `fw.WithoutExit`, the error of a server that could not start or go on.
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
   * Starts the server on an address: short for `Run(fw.Addr(address))`.
   *
   * @param address The address, such as `:8080`, or the port.
   * @param configurators Settings.
   * @returns `null` after a shutdown; with `fw.WithoutExit`, the error of a server that could not start or go on.
   */
  Listen(address: string | number, ...configurators: Configurator[]): Promise<Error | null> {
    return this.Run(address, ...configurators);
  }

  /**
   * Called by `deno serve` once it listens, when the application is a module's default export; not for programs.
   *
   * @param address Where Deno listens.
   */
  onListen(address: Deno.Addr): void {
    this.#lifecycle.adopt(address);
  }

  /**
   * Shuts the server down: no new connections, requests in flight are finished, then the tasks of
   * {@linkcode RegisterOnShutdown} run and `Run` resolves. Without a server the tasks run alone, so that a test that
   * only calls `fetch` can close what the application has opened.
   *
   * @returns A promise that is done when the server has stopped and the tasks have run. A handler or a task that calls
   * it does not have to wait: the shutdown waits for both.
   */
  async Shutdown(): Promise<void> {
    await this.#lifecycle.shutdown();
  }

  /**
   * Runs a function after the server has shut down and before `Run` resolves.
   *
   * @param task The function; the last registered runs first.
   */
  RegisterOnShutdown(task: () => void | Promise<void>): void {
    this.#lifecycle.addShutdownTask(task);
  }

  /**
   * Runs a function when a shutdown begins, while requests are still served: the moment to end streams that would
   * otherwise never end.
   *
   * @param task The function; the last registered runs first.
   */
  RegisterOnInterrupt(task: () => void | Promise<void>): void {
    this.#lifecycle.addInterruptTask(task);
  }

  #first(request: Request, info?: ConnectionInfo): Response | Promise<Response> {
    const building = this.Build();
    return building === undefined ? this.fetch(request, info) : building.then(() => this.fetch(request, info));
  }
}

/** Sets the level; the logger stands below fw's errors, so its own error is given fw's code here. */
function setLevel(logger: Logger, level: LevelName): void {
  try {
    logger.SetLevel(level);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", messageOf(error), { cause: error });
  }
}

/** Folds the wrappers around what serves; without any, nothing is added. */
function wrapFetch(serve: Serve, runtime: AppRuntime, wrappers: readonly RouterWrapper[]): Serve {
  if (wrappers.length === 0) return serve;
  const wrapped = wrappers.reduce<Serve>((inner, wrapper) => {
    return function (request, connection, target) {
      // What one wrapper says of the request still counts behind the next one, unless that hands on another request.
      return wrapper(
        request,
        (other, more) =>
          inner(other, connection, target !== undefined && other === request ? { ...target, ...more } : more),
        connection,
        target,
      );
    };
  }, serve);
  return runtime.config.HostCheck ? withHostCheck(wrapped) : wrapped;
}

/** Loads the pages for developers, where they are wanted. */
function loadDevelopment(registry: Registry, runtime: AppRuntime): Promise<void> | undefined {
  if (!runtime.config.Development) return undefined;
  return import("./inspect/development_page.ts").then(({ developmentPage }) => {
    runtime.developmentPage = (failure) => developmentPage(failure, registry.routes.map((record) => record.route));
  });
}

/** Loads the translations, if there are any. */
function loadLanguages(i18n: I18n, runtime: AppRuntime): Promise<void> | undefined {
  if (!i18n.Loaded()) return undefined;
  return i18n.load().then((catalog) => {
    runtime.languages = { catalog, settings: i18n };
  });
}

/** One promise for all that must be loaded, if anything must. */
function together(loads: readonly (Promise<void> | void)[]): Promise<void> | undefined {
  const loading = loads.filter((load) => load !== undefined);
  return loading.length === 0 ? undefined : Promise.all(loading).then(() => undefined);
}

/** Loads every engine once; returns a promise only if one is asynchronous. */
function loadViews(registry: Registry, { Development }: Configuration): Promise<void> | undefined {
  const engines = new Set(registry.parties.map((party) => party.engine));
  return together([...engines].map((engine) => {
    if (Development) engine?.Reload?.();
    return engine?.Load();
  }));
}

async function closeAll(registry: Registry): Promise<void> {
  for (const close of registry.closers.toReversed()) await close();
}

/**
 * Creates an application without middleware. An error in a handler still responds with a bare 500.
 *
 * @returns The application.
 */
export function New(): Application {
  return new Application();
}

/**
 * Creates an application that logs every request and survives what its handlers throw, also where no route matches.
 *
 * @returns The application.
 */
export function Default(): Application {
  return New().UseRouter(logger.New(), recover.New());
}
