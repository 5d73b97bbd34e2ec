/**
 * The life of an application: the servers that run it, and the tasks around their end.
 *
 * @module
 */

import { notePlain } from "../context/client/plain_requests.ts";
import type { Configuration } from "../base/config.ts";
import { FrameworkError } from "../base/errors.ts";
import { loadRooms } from "../base/lazy_room.ts";
import type { Logger } from "../log/logger.ts";
import { adopt } from "../server/adopted_server.ts";
import type { ServeHandler } from "../server/drain_gate.ts";
import { urlOf } from "../server/endpoint.ts";
import type { LifetimeOptions } from "../server/lifetime.ts";
import type { Runner } from "../server/runner.ts";
import { type Running, serve } from "../server/serve.ts";
import { waitAtMost } from "../server/wait.ts";
import type { Built } from "./build.ts";
import { cutOff } from "./serve/finish.ts";

const LOAD_AHEAD_MS = 1_000;

/** What runs when an application stops. */
type Task = () => void | Promise<void>;

/** Runs an application's servers and ends them. */
export class Lifecycle {
  readonly #logger: Logger;
  readonly #config: Readonly<Configuration>;
  readonly #starting = new Set<Promise<Running>>();
  readonly #running = new Set<Running>();
  readonly #interruptTasks: Task[] = [];
  /** The run of these tasks, once per stop. */
  #interrupted: Promise<void> | undefined = undefined;
  readonly #shutdownTasks: Task[] = [];
  #built: Built | undefined = undefined;
  #isAdopted = false;
  #hasTLS = false;
  #ending: Promise<void> | undefined = undefined;
  /** What the loading ahead waits on, until its time has come. */
  #waiting: Int32Array | undefined = undefined;

  /** Nothing runs yet. */
  constructor(logger: Logger, config: Readonly<Configuration>) {
    this.#logger = logger;
    this.#config = config;
  }

  /** Adds a task for the start of a stop. */
  addInterruptTask(task: Task): void {
    this.#interruptTasks.push(task);
  }

  /** Adds a task for the end of a stop. */
  addShutdownTask(task: Task): void {
    this.#shutdownTasks.push(task);
  }

  /** Takes what was built: its requests are those that a stop waits for. */
  use(built: Built): void {
    this.#built = built;
  }

  /**
   * Starts a server.
   *
   * @param runner What to listen on.
   * @param fetch What serves the requests.
   * @returns The server, once it listens.
   */
  async listen(runner: Runner, fetch: ServeHandler): Promise<Running> {
    this.#noteScheme(runner.Kind === "tls");
    const starting = serve(runner, runner.Kind === "tls" ? fetch : this.#plain(fetch), {
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
   * Lives with the server of `deno serve`: its requests are finished and its tasks run when Deno is told to stop.
   *
   * @param address The address, if Deno has told it.
   */
  adopt(address?: Deno.Addr): void {
    if (!this.#isAdopted) {
      this.#isAdopted = true;
      this.#noteScheme(false);
      this.#adopt(this.#options());
    }
    if (address === undefined) return;
    this.#config.OnListen?.(address);
    this.#greet(urlOf("http", address));
  }

  /**
   * Waits until a server has ended, and runs the last tasks if it was the last one.
   *
   * @param running The server.
   * @returns The error that ended it, if one did and the program handles such errors.
   */
  async untilEnd(running: Running): Promise<Error | null> {
    const { error, deadline } = await running.finished;
    if (this.#running.size === 0) await this.#end(deadline);
    return error === undefined ? null : await this.fail(error);
  }

  /**
   * Ends the process after a server could not start or go on. Hardly any program looks at what `Run` returns, so an
   * interval or a pool would keep a process without a server alive, and no supervisor would start it again.
   *
   * @param thrown What was thrown.
   * @returns The error, if the program handles such errors itself.
   */
  async fail(thrown: unknown): Promise<Error> {
    this.#logger.Flush();
    if (!this.#config.Exit) return asError(thrown);
    reportFailure(thrown);
    await waitAtMost(this.shutdown(), this.#config.ShutdownTimeout);
    Deno.exit(1);
  }

  /**
   * Stops everything that runs, then runs the last tasks; also where nothing runs, because an application that is only
   * tested has its files and connections to close too.
   */
  async shutdown(): Promise<void> {
    if (this.#ending !== undefined) return;
    // OnListen is called before a server is known here, and a program may well stop right there.
    if (this.#starting.size > 0) await Promise.allSettled(this.#starting);
    if (this.#running.size === 0) this.#adopt({ ...this.#options(), handleSignals: false });
    const deadline = performance.now() + this.#config.DrainDelay + this.#config.ShutdownTimeout;
    await Promise.all([...this.#running].map((running) => running.shutdown()));
    // A handler that calls this does not wait for itself: then requests still run, and the tasks come after them.
    if (this.#running.size === 0) await this.#end(deadline);
  }

  /** Notes which listener a request came by, if there is another one that speaks TLS. */
  #plain(fetch: ServeHandler): ServeHandler {
    return (request, info) => {
      if (this.#hasTLS) notePlain(request);
      return fetch(request, info);
    };
  }

  #noteScheme(isTLS: boolean): void {
    this.#hasTLS ||= isTLS;
    if (this.#built !== undefined) this.#built.runtime.isPlain = !this.#hasTLS;
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
    this.#ending = undefined;
    this.#interrupted = undefined;
    if (this.#built !== undefined) revive(this.#built);
    this.#loadAhead();
    // Before all others that wait for the end: they look at what still runs.
    running.finished.then(() => this.#running.delete(running));
  }

  #greet(url: string): void {
    if (!this.#config.StartupLog) return;
    this.#logger.Infof("Now listening on: %s", url);
    this.#logger.Info("Application started. Press CTRL+C to shut down.");
    this.#logger.Flush();
  }

  /** Loads what requests load on first use, a while after the start, so that the first of them need not wait for it. */
  #loadAhead(): void {
    this.#stopLoading();
    this.#waiting = new Int32Array(new SharedArrayBuffer(4));
    // Not a timer: the first one of a process loads a part of Node.js, which takes 8 ms before the first response. Like
    // a timer without a reference, this keeps no process alive.
    const waited = Promise.resolve(Atomics.waitAsync(this.#waiting, 0, 0, LOAD_AHEAD_MS).value);
    waited.then((outcome) => outcome === "timed-out" ? loadRooms() : undefined).catch((error) =>
      this.#logger.Error("Cannot load a part of fw ahead of its use:", error)
    );
  }

  #stopLoading(): void {
    if (this.#waiting !== undefined) Atomics.notify(this.#waiting, 0);
    this.#waiting = undefined;
  }

  /** Says `connection: close` in every response, and lets the tasks turn readiness off. */
  #beginDraining(): void {
    if (this.#built !== undefined) this.#built.isLeaving = true;
    this.#interrupted ??= this.#runAll(this.#interruptTasks);
  }

  async #interrupt(): Promise<void> {
    this.#stopLoading();
    if (this.#built !== undefined) leave(this.#built);
    this.#interrupted ??= this.#runAll(this.#interruptTasks);
    await this.#interrupted;
  }

  #closeSockets(until: number): Promise<void> | undefined {
    const drains = this.#built?.runtime.drains;
    if (drains === undefined || drains.size === 0) return undefined;
    return Promise.allSettled(Array.from(drains, (drain) => drain(until))).then(() => {});
  }

  #cutOff(): void {
    if (this.#built !== undefined) cutOff(this.#built);
    this.#built?.runtime.cutOff.abort(new DOMException("The server has stopped", "AbortError"));
  }

  /** Runs the last tasks, once for all servers that ended together. */
  #end(deadline: number): Promise<void> {
    return this.#ending ??= this.#windUp(deadline);
  }

  async #windUp(deadline: number): Promise<void> {
    await waitAtMost(Promise.all(this.#built?.trailing ?? []), deadline - performance.now());
    await this.#runAll(this.#shutdownTasks);
    this.#logger.Flush();
  }

  /** Runs tasks one after another, the last registered first, each whatever the others did. */
  async #runAll(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks.toReversed()) {
      try {
        await task();
      } catch (error) {
        this.#logger.Error("Cannot finish a task of the shutdown:", error);
      }
    }
  }
}

/** Lets what would never end, such as a stream of events, know that the application stops. */
function leave(built: Built): void {
  built.isLeaving = true;
  built.runtime.leaving.abort(new DOMException("The server stops", "AbortError"));
}

/** Lets an application that was stopped serve again. */
function revive(built: Built): void {
  built.isLeaving = false;
  if (built.runtime.leaving.signal.aborted) built.runtime.leaving = new AbortController();
  if (built.runtime.cutOff.signal.aborted) built.runtime.cutOff = new AbortController();
}

/**
 * Says on standard error why a server could not start or go on, in one line without a stack, and has the process end
 * with code 1. It does not end the process itself: there may be something to close.
 *
 * @param error What was thrown. Anything but fw's own errors is a bug and is shown with its stack.
 */
export function reportFailure(error: unknown): void {
  Deno.exitCode = 1;
  const text = error instanceof FrameworkError ? error.message : Deno.inspect(error);
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Cannot start the server", { cause: thrown });
}
