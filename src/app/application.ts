/**
 * The application: the root of all parties, built once, then served.
 *
 * @module
 */

import { checkConfiguration, type Configuration, type Configurator, defaultConfiguration } from "../base/config.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { ConnectionInfo } from "../context/client_address.ts";
import { type AppRuntime, createRuntime } from "../context/app_runtime.ts";
import type { LevelName } from "../log/level.ts";
import type { Logger } from "../log/logger.ts";
import { reportFailedStart } from "../server/fail_start.ts";
import { Addr, type Runner } from "../server/runner.ts";
import { type Running, serve } from "../server/serve.ts";
import { underDenoServe } from "../server/deno_serve.ts";
import { build, type Built } from "./build.ts";
import { createFetch, type Fetch } from "./dispatch.ts";
import { Party, registryOf } from "./party.ts";
import type { Registry, RouterWrapper } from "./registry.ts";
import { messageOf } from "../base/to_error.ts";

/**
 * A web application.
 *
 * @example From nothing to a response
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/ping", (ctx) => ctx.WriteString("pong"));
 *
 * const response = await app.fetch(new Request("http://localhost/ping"));
 * assertEquals(await response.text(), "pong");
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
  readonly #registry: Registry = registryOf(this);
  readonly #logger: Logger = this.#registry.logger;
  readonly #config: Configuration = defaultConfiguration();
  readonly #shutdownTasks: (() => void | Promise<void>)[] = [];
  readonly #interruptTasks: (() => void | Promise<void>)[] = [];
  #built: Built | undefined = undefined;
  #serve: Fetch | undefined = undefined;
  #building: Promise<void> | undefined = undefined;
  readonly #running = new Set<Running>();

  /**
   * Created by `fw.New()` and `fw.Default()`.
   *
   * @ignore
   */
  constructor() {
    super();
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
   * The application's settings.
   *
   * @returns The configuration as it stands.
   */
  ConfigurationReadOnly(): Readonly<Configuration> {
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
   * import { assertEquals } from "@std/assert";
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/new", (ctx) => ctx.WriteString("moved in"));
   * app.WrapRouter((request, next) => next(request.url.endsWith("/old") ? new Request("http://localhost/new") : request));
   *
   * const response = await app.fetch(new Request("http://localhost/old"));
   * assertEquals(await response.text(), "moved in");
   * ```
   */
  WrapRouter(wrapper: RouterWrapper): this {
    this.#registry.assertNotBuilt("wrap the router");
    this.#registry.wrappers.push(wrapper);
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
    const proxies = checkConfiguration(this.#config);
    for (const check of this.#registry.builders) check();
    this.#registry.isBuilt = true;
    const runtime = createRuntime(this, this.#config, proxies);
    const loading = together([loadViews(this.#registry), loadDevelopment(this.#registry, runtime)]);
    this.#built = build(this.#registry, runtime);
    const fetch = wrapFetch(createFetch(this.#built), this.#registry.wrappers);
    if (loading === undefined) return void (this.#serve = fetch);
    return this.#building = loading.then(() => {
      this.#serve = fetch;
      this.#building = undefined;
    });
  }

  /**
   * Starts the server and waits until it has shut down.
   *
   * A failure to start, such as a port in use, is told in one line on standard error and sets the exit code of the
   * process to 1.
   *
   * @param runner What to listen on: `fw.Addr(":8080")`, `fw.TLS(...)`, `fw.Unix(...)`.
   * @param configurators Settings: `fw.WithPostMaxMemory(64 << 20)`, `fw.WithoutStartupLog`.
   * @returns `null` after a shutdown, or the error that kept the server from starting.
   */
  async Run(runner: Runner, ...configurators: Configurator[]): Promise<Error | null> {
    let running: Running;
    try {
      this.Configure(...configurators);
      await this.Build();
      if (underDenoServe(runner)) return null;
      running = await this.#listen(runner);
    } catch (error) {
      this.#logger.Flush();
      return reportFailedStart(error);
    }
    await running.finished;
    this.#running.delete(running);
    if (this.#running.size === 0) await this.#windUp();
    return null;
  }

  /**
   * Starts the server on an address: short for `Run(fw.Addr(address))`.
   *
   * @param address The address, such as `:8080`.
   * @param configurators Settings.
   * @returns `null` after a shutdown, or the error that kept the server from starting.
   */
  Listen(address: string, ...configurators: Configurator[]): Promise<Error | null> {
    return this.Run(Addr(address), ...configurators);
  }

  /**
   * Shuts the server down: no new connections, requests in flight are finished, then `Run` resolves.
   *
   * @returns A promise that is done when the server has stopped; `Run` resolves a moment later.
   */
  async Shutdown(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.shutdown()));
  }

  /**
   * Runs a function after the server has shut down and before `Run` resolves.
   *
   * @param task The function; the last registered runs first.
   */
  RegisterOnShutdown(task: () => void | Promise<void>): void {
    this.#shutdownTasks.push(task);
  }

  /**
   * Runs a function when a shutdown begins, while requests are still served: the moment to end streams that would
   * otherwise never end.
   *
   * @param task The function; the last registered runs first.
   */
  RegisterOnInterrupt(task: () => void | Promise<void>): void {
    this.#interruptTasks.push(task);
  }

  async #interrupt(): Promise<void> {
    if (this.#built !== undefined) this.#built.isLeaving = true;
    await this.#runAll(this.#interruptTasks);
  }

  async #listen(runner: Runner): Promise<Running> {
    const running = await serve(runner, this.#serve ?? this.fetch, {
      shutdownTimeout: this.#config.ShutdownTimeout,
      reusePort: this.#config.SocketSharding,
      handleSignals: !this.#config.DisableInterruptHandler,
      onListen: this.#config.OnListen,
      onShutdown: () => this.#interrupt(),
      log: this.#logger,
    });
    this.#running.add(running);
    if (this.#built !== undefined) this.#built.isLeaving = false;
    if (!this.#config.DisableStartupLog) {
      this.#logger.Infof("Now listening on: %s", running.url);
      this.#logger.Info("Application started. Press CTRL+C to shut down.");
      this.#logger.Flush();
    }
    return running;
  }

  async #windUp(): Promise<void> {
    await Promise.all(this.#built?.trailing ?? []);
    await this.#runAll(this.#shutdownTasks);
    this.#logger.Flush();
  }

  /** Runs tasks one after another, the last registered first, each whatever the others did. */
  async #runAll(tasks: readonly (() => void | Promise<void>)[]): Promise<void> {
    for (const task of tasks.toReversed()) {
      try {
        await task();
      } catch (error) {
        this.#logger.Error("Cannot finish a task of the shutdown:", error);
      }
    }
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
function wrapFetch(fetch: Fetch, wrappers: readonly RouterWrapper[]): Fetch {
  return wrappers.reduce<Fetch>(
    (inner, wrapper) => (request, connection) => wrapper(request, (other) => inner(other, connection), connection),
    fetch,
  );
}

/** Loads the pages for developers, where they are wanted. */
function loadDevelopment(registry: Registry, runtime: AppRuntime): Promise<void> | undefined {
  if (!runtime.config.Development) return undefined;
  return import("./development_page.ts").then(({ developmentPage }) => {
    runtime.developmentPage = (failure) => developmentPage(failure, registry.routes.map((record) => record.route));
  });
}

/** One promise for all that must be loaded, if anything must. */
function together(loads: readonly (Promise<void> | void)[]): Promise<void> | undefined {
  const loading = loads.filter((load) => load !== undefined);
  return loading.length === 0 ? undefined : Promise.all(loading).then(() => undefined);
}

/** Loads every engine once; returns a promise only if one is asynchronous. */
function loadViews(registry: Registry): Promise<void> | undefined {
  const engines = new Set(registry.parties.map((party) => party.engine));
  return together([...engines].map((engine) => engine?.Load()));
}
