/**
 * The life cycle of an application: its servers and its shutdown tasks.
 *
 * @module
 */

import { notify } from "../async/callback.ts";
import { LazyModule, loadLazyModules } from "../async/lazy_module.ts";
import type { Configuration } from "../config/config.ts";
import { markReported } from "../errors/reported_errors.ts";
import type { Branch } from "../exchange/ending/async_scope.ts";
import { branchModule, currentBranch } from "../exchange/ending/ending.ts";
import { cutOff } from "../exchange/ending/finish.ts";
import { notePlain } from "../exchange/peer/request_scheme.ts";
import type { Logger } from "../log/logger.ts";
import { leaveChunks } from "../response/taken_chunks.ts";
import { adopt } from "../server/adopted_server.ts";
import type { ServeHandler } from "../server/drain_gate.ts";
import { urlOf } from "../server/endpoint.ts";
import type { LifetimeOptions } from "../server/lifetime.ts";
import type { Runner } from "../server/runner.ts";
import { type Running, serve } from "../server/serve.ts";
import { waitAtMost } from "../server/wait.ts";
import type { Built } from "./build/build.ts";
import type { Companion } from "./record/registry.ts";

const LOAD_AHEAD_MS = 1_000;
/** The minimum time for a shutdown task. */
const LEAST_TASK_MS = 1_000;

const failureReport = new LazyModule(() => import("./failure_report.ts"));

/** A task to run when an application stops. */
type Task = () => unknown;

/** The branch of shutdown tasks. */
const shutdownBranch: Branch = { parent: undefined };

/** Runs and stops an application's servers. */
export class Lifecycle {
  readonly #logger: Logger;
  readonly #config: Readonly<Configuration>;
  readonly #companions: readonly Companion[];
  readonly #starting = new Set<Promise<Running>>();
  readonly #running = new Set<Running>();
  readonly #interruptTasks: Task[] = [];
  /** The interrupt tasks that are currently running. They run once per shutdown. */
  #interrupted: Promise<void> | undefined = undefined;
  readonly #shutdownTasks: Task[] = [];
  #built: Built | undefined = undefined;
  #isAdopted = false;
  #hasTLS = false;
  #ending: Promise<void> | undefined = undefined;
  /** The life cycles of the applications that this one passes requests to, in reverse order. */
  readonly #joined: Lifecycle[] = [];
  /** The buffer that the preloading waits on. */
  #waiting: Int32Array | undefined = undefined;

  /** Creates the life cycle without starting anything. */
  constructor(logger: Logger, config: Readonly<Configuration>, companions: readonly Companion[] = []) {
    this.#logger = logger;
    this.#config = config;
    this.#companions = companions;
  }

  /** Adds a task for the start of a shutdown. */
  addInterruptTask(task: Task): void {
    this.#interruptTasks.push(task);
  }

  /** Adds a task for the end of a shutdown. */
  addShutdownTask(task: Task): void {
    this.#shutdownTasks.push(task);
  }

  /** Starts and stops an application together with this one, which passes requests to it. */
  join(other: Lifecycle): void {
    this.#joined.unshift(other);
  }

  /** Sets the built application. A shutdown waits for the application's requests. */
  use(built: Built): void {
    this.#built = built;
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

  /**
   * Waits until a server has stopped. If it was the last one, runs the shutdown tasks.
   *
   * @param running The server.
   * @returns The error that stopped the server, if there was one and the program handles such errors.
   */
  async untilEnd(running: Running): Promise<Error | null> {
    const { error, deadline } = await running.finished;
    if (this.#running.size === 0) await this.#end(deadline);
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
    if (this.#ending !== undefined) return currentBranch() === shutdownBranch ? undefined : await this.#ending;
    // OnListen is called before the server is added to the set, and the callback may shut down the application.
    if (this.#starting.size > 0) await Promise.allSettled(this.#starting);
    if (this.#running.size === 0) this.#adopt({ ...this.#options(), handleSignals: false });
    const deadline = performance.now() + this.#config.DrainDelay + this.#config.ShutdownTimeout;
    await Promise.all([...this.#running].map((running) => running.shutdown()));
    // If a handler calls this method, requests are in flight and the tasks run after them, so the handler does not wait
    // for itself.
    if (this.#running.size === 0) await this.#end(deadline);
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
    if (this.#built !== undefined) this.#built.runtime.isCleartext = !this.#hasTLS;
  }

  #options(): LifetimeOptions {
    return {
      shutdownTimeout: this.#config.ShutdownTimeout,
      drainDelay: this.#config.DrainDelay,
      onDrain: () => this.#beginDraining(),
      handleSignals: this.#config.InterruptHandler,
      onShutdown: () => this.#interrupt(),
      closeSockets: (until) => this.#closeSockets(until),
      onCut: () => this.#cutOff(),
      log: this.#logger,
    };
  }

  #adopt(options: LifetimeOptions): void {
    const adopted = adopt({ ...options, drained: () => this.#built?.inFlight.drained() ?? Promise.resolve() });
    this.#add(adopted);
    adopted.finished.then(({ deadline }) => this.#running.size === 0 ? this.#end(deadline) : undefined);
  }

  #add(running: Running): void {
    this.#running.add(running);
    for (const each of this.#all()) each.#revive();
    this.#loadAhead();
    // This must run before all other callbacks that wait for the end, because they check which servers are still
    // running.
    running.finished.then(() => this.#running.delete(running));
  }

  /** Returns this life cycle and those that have joined it. */
  #all(): Lifecycle[] {
    return [this, ...this.#joined.flatMap((each) => each.#all())];
  }

  /** Lets a stopped application serve requests again. */
  #revive(): void {
    this.#ending = this.#interrupted = undefined;
    if (this.#built === undefined) return;
    const { runtime } = this.#built;
    this.#built.isLeaving = false;
    if (runtime.leaving.signal.aborted) runtime.leaving = new AbortController();
    if (runtime.cutOff.signal.aborted) runtime.cutOff = new AbortController();
  }

  #greet(url: string): void {
    for (const companion of this.#allCompanions()) companion.start();
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
    this.#waiting = new Int32Array(new SharedArrayBuffer(4));
    // A timer is not used, because the first timer of a process loads a part of Node.js, which delays the first
    // response by 8 ms. Like an unreferenced timer, this does not keep the process alive.
    const waited = Promise.resolve(Atomics.waitAsync(this.#waiting, 0, 0, LOAD_AHEAD_MS).value);
    waited.then((outcome) => outcome === "timed-out" ? loadLazyModules() : undefined).catch((error) =>
      this.#logger.Error("Cannot preload a part of fw:", error)
    );
  }

  #stopLoading(): void {
    if (this.#waiting !== undefined) Atomics.notify(this.#waiting, 0);
    this.#waiting = undefined;
  }

  /** Sends `connection: close` with every response and runs the tasks that report that the application is not ready. */
  async #beginDraining(): Promise<void> {
    for (const companion of this.#allCompanions()) companion.interrupt();
    for (const built of this.#allBuilt()) built.isLeaving = true;
    // The rest of the time is for the requests.
    const until = performance.now() + this.#config.ShutdownTimeout / 2;
    for (const each of this.#all()) await (each.#interrupted ??= each.#runAll(each.#interruptTasks, until, 0));
  }

  #allCompanions(): Companion[] {
    return this.#all().flatMap((each) => each.#companions);
  }

  #allBuilt(): Built[] {
    return this.#all().flatMap((each) => each.#built ?? []);
  }

  /** Begins to drain, and notifies endless responses, such as event streams, that the application is shutting down. */
  async #interrupt(): Promise<void> {
    this.#stopLoading();
    const reason = stopReason("The server is shutting down");
    for (const { runtime } of this.#allBuilt()) runtime.leaving.abort(reason);
    await this.#beginDraining();
  }

  #closeSockets(until: number): Promise<void> | undefined {
    const own = this.#built?.runtime.drains ?? [];
    const drains = [...own, ...this.#allCompanions().map((each) => each.drain.bind(each))];
    if (drains.length === 0) return undefined;
    return Promise.allSettled(drains.map((drain) => drain(until))).then(() => {});
  }

  #cutOff(): void {
    const reason = stopReason("The server has stopped");
    for (const built of this.#allBuilt()) {
      cutOff(built);
      built.runtime.cutOff.abort(reason);
    }
  }

  /** Runs the shutdown tasks once for all servers that stopped together. */
  #end(deadline: number): Promise<void> {
    return this.#ending ??= this.#windUp(deadline);
  }

  async #windUp(deadline: number): Promise<void> {
    // If requests are cut off immediately, the companions have not been asked yet.
    await Promise.allSettled(this.#companions.map((companion) => companion.drain(performance.now())));
    const trailing = this.#built?.runtime.trailing ?? new Set();
    // Work that continues after responses were sent may start further work, such as that of error observers.
    for (let isInTime = true; isInTime && trailing.size > 0;) {
      isInTime = await waitAtMost(Promise.all(trailing), deadline - performance.now());
    }
    const { branches } = await branchModule.get();
    await branches.run(shutdownBranch, () => this.#runAll(this.#shutdownTasks, deadline, LEAST_TASK_MS));
    for (const each of this.#joined) await each.#end(deadline);
    this.#logger.Flush();
  }

  /**
   * Runs tasks one after another, in reverse order of registration. Each task runs even if others fail or do not end.
   *
   * @param until The time at which a task is abandoned, as measured by `performance.now()`.
   * @param least The minimum time for a task, in milliseconds.
   */
  async #runAll(tasks: readonly Task[], until: number, least: number): Promise<void> {
    for (const task of tasks.toReversed()) {
      const running = Promise.try(task).catch((error) => this.#logger.Error("Cannot finish a shutdown task:", error));
      if (await waitAtMost(running, Math.max(until - performance.now(), least))) continue;
      this.#logger.Error("Cannot finish a shutdown task: it has not ended within the shutdown timeout");
    }
  }
}

/** Returns the reason why streams end. The server receives it as well, and must not log it. */
function stopReason(message: string): DOMException {
  const reason = new DOMException(message, "AbortError");
  markReported(reason);
  return reason;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Cannot start the server", { cause: thrown });
}
