/**
 * Runs a server until it is told to stop, and stops it without losing what it has begun.
 *
 * @module
 */

import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { type Fetch, type Gate, makeGate } from "./drain_gate.ts";
import type { ServerLog } from "./log.ts";
import type { Runner } from "./runner.ts";
import { joinSignals, type Leave, type Stoppable } from "./signals.ts";
import { guardStrays } from "./unhandled_rejection.ts";
import { sleep, waitAtMost } from "./wait.ts";

/** How a server is run. */
export interface ServeOptions {
  /** How long requests may go on after a stop began, in milliseconds; 10,000 by default, `0` cuts at once. */
  readonly shutdownTimeout?: number | undefined;
  /** Lets several processes listen on one port; needs Deno's flag `--unstable-net`. */
  readonly reusePort?: boolean | undefined;
  /** Whether SIGINT and SIGTERM stop the server; they do by default. */
  readonly handleSignals?: boolean | undefined;
  /** Told the address once it is open. */
  readonly onListen?: ((address: Deno.Addr) => void) | undefined;
  /** Told that a stop has begun, while requests still run: the moment to end streams that would never end. */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
  /** Where to report; without it the server is silent. */
  readonly log?: ServerLog | undefined;
}

/** How a server came to its end. */
export interface Ending {
  /** The signal that stopped it, if one did. */
  readonly signal: Deno.Signal | undefined;
  /** Whether every request was finished; `false` when the time ran out first. */
  readonly isDrained: boolean;
}

/** A server that listens. */
export interface Running {
  /** The address, with the port that was chosen for port `0`. */
  readonly addr: Deno.Addr;
  /** How a person would reach it: `http://localhost:8080`, `unix:/run/app.sock`. */
  readonly url: string;
  /** Resolves when the server has stopped; never rejects. */
  readonly finished: Promise<Ending>;
  /**
   * Stops the server: no new connections, requests under way are finished. May be called any number of times.
   *
   * @returns A promise that resolves when the server has stopped. Called by a request handler before its first
   * `await` it resolves at once, as the handler would wait for itself; after an `await`, a handler that waits for it
   * waits until the shutdown timeout.
   */
  shutdown(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

// A stop holds back answers until no request has come for so long, but not for longer than the second figure.
const QUIET_MS = 20;
const HOLD_MS = 250;

const SILENT: ServerLog = { Info(): void {}, Warn(): void {}, Error(): void {} };

/**
 * Starts a server.
 *
 * @param runner What to listen on.
 * @param fetch What serves the requests; it is called without a wrapper that makes or awaits promises.
 * @param options How to run it.
 * @returns The running server, once it listens. A failure is thrown as one clear line (`FW_LISTEN`, `FW_ADDRESS`).
 */
export async function serve(runner: Runner, fetch: Fetch, options: ServeOptions = {}): Promise<Running> {
  const log = options.log ?? SILENT;
  const gate = makeGate(fetch);
  const cut = new AbortController();
  const endpoint = await openEndpoint(runner, {
    handler: gate.handler,
    onError: (error) => answerFailure(log, error),
    signal: cut.signal,
    reusePort: options.reusePort ?? false,
  });
  const server = new Server(endpoint, gate, cut, options, log);
  try {
    options.onListen?.(server.addr);
  } catch (error) {
    await server.shutdown();
    throw error;
  }
  return server;
}

class Server implements Running, Stoppable {
  readonly addr: Deno.Addr;
  readonly url: string;
  readonly finished: Promise<Ending>;
  readonly #endpoint: Endpoint;
  readonly #gate: Gate;
  readonly #cut: AbortController;
  readonly #options: ServeOptions;
  readonly #log: ServerLog;
  readonly #leaveSignals: Leave;
  readonly #endGuard: () => void;
  readonly #ended: PromiseWithResolvers<Ending> = Promise.withResolvers();
  #isStopping = false;
  #signal: Deno.Signal | undefined = undefined;

  constructor(endpoint: Endpoint, gate: Gate, cut: AbortController, options: ServeOptions, log: ServerLog) {
    this.addr = endpoint.server.addr;
    this.url = endpoint.url;
    this.finished = this.#ended.promise;
    this.#endpoint = endpoint;
    this.#gate = gate;
    this.#cut = cut;
    this.#options = options;
    this.#log = log;
    this.#leaveSignals = options.handleSignals === false ? () => {} : joinSignals(this);
    this.#endGuard = guardStrays(log);
    this.#watch();
  }

  shutdown(): Promise<void> {
    if (!this.#isStopping) this.#stop();
    return this.#gate.isInside() ? Promise.resolve() : this.finished.then(() => {});
  }

  stop(signal: Deno.Signal): void {
    if (this.#isStopping) return;
    this.#signal = signal;
    this.#log.Info(`Received ${signal}: finishing the requests under way, a second signal ends at once`);
    this.#stop();
  }

  abandon(): void {
    this.#endpoint.remove();
    this.#log.Flush?.();
  }

  /** Notices when the listener breaks by itself. */
  async #watch(): Promise<void> {
    await this.#serverFinished();
    if (!this.#isStopping) this.#end(true);
  }

  async #serverFinished(): Promise<void> {
    try {
      await this.#endpoint.server.finished;
    } catch (error) {
      this.#log.Error(`Server on ${this.url} broke down:`, error);
    }
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#gate.hold();
    const told = this.#tellShutdown();
    const timeout = this.#options.shutdownTimeout ?? DEFAULT_TIMEOUT_MS;
    this.#end(timeout > 0 ? await this.#drain(timeout, told) : await this.#cutNow());
  }

  async #drain(timeout: number, told: Promise<void>): Promise<boolean> {
    const deadline = performance.now() + timeout;
    await this.#holdUntilQuiet(Math.min(HOLD_MS, timeout / 4));
    const stopped = Promise.all([told, this.#endpoint.server.shutdown(), this.#serverFinished()]);
    this.#gate.release();
    const isDrained = await waitAtMost(stopped, deadline - performance.now());
    // Deno cannot cut a server that is shutting down: what hangs now ends with its handler, or with the process.
    if (!isDrained) this.#log.Warn(`Gave up the requests on ${this.url} that still run after ${timeout} ms`);
    this.#log.Flush?.();
    return isDrained;
  }

  async #cutNow(): Promise<boolean> {
    this.#cut.abort();
    this.#gate.release();
    await this.#serverFinished();
    return false;
  }

  async #holdUntilQuiet(limit: number): Promise<void> {
    const end = performance.now() + limit;
    let seen: number;
    do {
      seen = this.#gate.count();
      await sleep(Math.min(QUIET_MS, limit));
      // A busy machine may have let this process wait as a whole: look at the sockets before calling it quiet.
      await sleep(0);
      await sleep(0);
    } while (seen !== this.#gate.count() && performance.now() < end);
  }

  async #tellShutdown(): Promise<void> {
    try {
      await this.#options.onShutdown?.();
    } catch (error) {
      this.#log.Error("Shutdown callback failed:", error);
    }
  }

  #end(isDrained: boolean): void {
    this.#endpoint.remove();
    this.#endGuard();
    this.#leaveSignals(isDrained);
    this.#ended.resolve({ signal: this.#signal, isDrained });
  }
}

function answerFailure(log: ServerLog, error: unknown): Response {
  log.Error("Request handler failed:", error);
  return new Response("Internal Server Error", { status: 500 });
}
