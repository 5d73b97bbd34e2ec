/**
 * The servers of an application.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import { LazyModule, loadLazyModules } from "../../base/async/lazy_module.ts";
import { type QuietTimeout, quietTimeout } from "../../base/async/quiet_timeout.ts";
import type { Configuration } from "../../base/config/config.ts";
import type { Logger } from "../../base/log/logger.ts";
import { leaveChunks } from "../../http/response/taken_chunks.ts";
import { adopt } from "../../http/server/adopted_server.ts";
import type { ServeHandler } from "../../http/server/drain_gate.ts";
import { urlOf } from "../../http/server/endpoint.ts";
import type { LifetimeOptions } from "../../http/server/lifetime.ts";
import type { Runner } from "../../http/server/runner.ts";
import { type Running, serve } from "../../http/server/serve.ts";
import { waitAtMost } from "../../http/server/wait.ts";
import { notePlain } from "../exchange/peer/request_scheme.ts";
import { isShutdownTask, type Life } from "./life.ts";

const LOAD_AHEAD_MS = 1_000;

const failureReport = new LazyModule(() => import("./failure_report.ts"));

/** Runs and stops an application's servers. */
export class Lifecycle {
  readonly #life: Life;
  readonly #logger: Logger;
  readonly #config: Readonly<Configuration>;
  readonly #starting = new Set<Promise<Running>>();
  readonly #running = new Set<Running>();
  #isAdopted = false;
  #hasTLS = false;
  /** The time before the remaining modules are loaded. */
  #waiting: QuietTimeout | undefined = undefined;

  /** Creates the life cycle without starting anything. */
  constructor(life: Life, logger: Logger, config: Readonly<Configuration>) {
    this.#life = life;
    this.#logger = logger;
    this.#config = config;
  }

  /**
   * Starts a server.
   *
   * @param runner The address to listen on.
   * @param fetch The function that serves requests.
   * @returns The server, when it is listening.
   */
  async listen(runner: Runner, fetch: ServeHandler): Promise<Running> {
    this.#noteScheme(runner.Kind === "tls");
    const own = runner.Kind === "tls" ? fetch : this.#plain(fetch);
    const starting = serve(runner, (request, info) => leaveChunks(own(request, info)), {
      ...this.#options(),
      reusePort: this.#config.SocketSharding,
      onListen: this.#config.OnListen,
    }).then((listening) => {
      this.#add(listening);
      this.#greet(listening.url);
      return listening;
    });
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /**
   * Attaches to the server started by `deno serve`. When Deno stops, requests are drained and the tasks run.
   *
   * @param address The address, if Deno has reported one.
   */
  adopt(address?: Deno.Addr): void {
    if (!this.#isAdopted) {
      this.#isAdopted = true;
      this.#noteScheme(false);
      this.#adopt(this.#options());
    }
    if (address === undefined) return;
    notify(
      () => this.#config.OnListen?.(address),
      (error) => this.#logger.Error("Cannot run OnListen:", error),
    );
    this.#greet(urlOf("http", address));
  }

  /** Starts the background work without a server. It ends with a call of `shutdown`. */
  start(): void {
    if (this.#running.size === 0) this.#adopt({ ...this.#options(), handleSignals: false });
    this.#life.start();
  }

  /**
   * Waits until a server has stopped. If it was the last one, runs the shutdown tasks.
   *
   * @param running The server.
   * @returns The error that stopped the server, if there was one and the program handles such errors.
   */
  async untilEnd(running: Running): Promise<Error | null> {
    const { error, deadline } = await running.finished;
    if (this.#running.size === 0) await this.#life.end(this.#life, deadline);
    return error === undefined ? null : await this.fail(error);
  }

  /**
   * Exits the process if a server could not start or failed. Few programs check the return value of `Run`, so an
   * interval or a connection pool would keep the process alive without a server, and no supervisor would restart it.
   *
   * @param thrown The thrown value.
   * @returns The error, if the program handles such errors itself.
   */
  async fail(thrown: unknown): Promise<Error> {
    this.#logger.Flush();
    if (!this.#config.Exit) return asError(thrown);
    (await failureReport.get()).reportFailure(thrown);
    await waitAtMost(this.shutdown(), this.#config.ShutdownTimeout);
    Deno.exit(1);
  }

  /**
   * Stops all servers and then runs the shutdown tasks. The tasks also run if there is no server, because a tested
   * application has files and connections to close as well.
   */
  async shutdown(): Promise<void> {
    // A shutdown task must not wait for itself.
    const { ending } = this.#life;
    if (ending !== undefined) return isShutdownTask() ? undefined : await ending;
    // OnListen is called before the server is added to the set, and the callback may shut down the application.
    if (this.#starting.size > 0) await Promise.allSettled(this.#starting);
    if (this.#running.size === 0) this.#adopt({ ...this.#options(), handleSignals: false });
    const deadline = performance.now() + this.#config.DrainDelay + this.#config.ShutdownTimeout;
    await Promise.all([...this.#running].map((running) => running.shutdown()));
    // If a handler calls this method, requests are in flight and the tasks run after them, so the handler does not wait
    // for itself.
    if (this.#running.size === 0) await this.#life.end(this.#life, deadline);
  }

  /** Records which listener a request arrived on if another listener uses TLS. */
  #plain(fetch: ServeHandler): ServeHandler {
    return (request, info) => {
      if (this.#hasTLS) notePlain(request);
      return fetch(request, info);
    };
  }

  #noteScheme(isTLS: boolean): void {
    this.#hasTLS ||= isTLS;
    const { built } = this.#life;
    if (built !== undefined) built.runtime.isCleartext = !this.#hasTLS;
  }

  #options(): LifetimeOptions {
    return {
      shutdownTimeout: this.#config.ShutdownTimeout,
      drainDelay: this.#config.DrainDelay,
      onDrain: () => this.#life.leave(this.#life),
      handleSignals: this.#config.InterruptHandler,
      onShutdown: () => this.#interrupt(),
      closeSockets: (until) => this.#life.closeSockets(until),
      onCut: () => this.#life.cutOff(),
      log: this.#logger,
    };
  }

  #adopt(options: LifetimeOptions): void {
    const adopted = adopt({ ...options, drained: () => this.#life.built?.inFlight.drained() ?? Promise.resolve() });
    this.#add(adopted);
    adopted.finished.then(({ deadline }) =>
      this.#running.size === 0 ? this.#life.end(this.#life, deadline) : undefined
    );
  }

  #add(running: Running): void {
    this.#running.add(running);
    this.#life.hold(this.#life);
    this.#loadAhead();
    // This must run before all other callbacks that wait for the end, because they check which servers are still
    // running.
    running.finished.then(() => this.#running.delete(running));
  }

  #greet(url: string): void {
    this.#life.start();
    if (this.#config.StartupLog) {
      this.#logger.Infof("Now listening on: %s", url);
      this.#logger.Info("Application started. Press CTRL+C to shut down.");
      this.#logger.Flush();
    }
    // The first timer of a process loads a part of Node.js, which would delay the first request with a timeout by 8 ms.
    if (this.#config.HandlerTimeout > 0) clearTimeout(setTimeout(() => {}));
  }

  /**
   * Loads the remaining lazy modules some time after the start, so that the first requests do not have to wait for
   * them.
   */
  #loadAhead(): void {
    this.#stopLoading();
    this.#waiting = quietTimeout(LOAD_AHEAD_MS);
    this.#waiting.passed.then(loadLazyModules).catch((error) =>
      this.#logger.Error("Cannot preload a part of fw:", error)
    );
  }

  #stopLoading(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }

  async #interrupt(): Promise<void> {
    this.#stopLoading();
    const left = this.#life.leave(this.#life);
    this.#life.endStreams();
    await left;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Cannot start the server", { cause: thrown });
}
