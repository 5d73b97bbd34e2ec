/**
 * The life of a server: it ends by a call, by a signal or by a fault, once, and within its limit.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";
import { joinSignals, type Leave, type Stoppable } from "./signals.ts";
import { guardStrays } from "./unhandled_rejection.ts";
import { sleep } from "./wait.ts";

/** How a server lives and stops. */
export interface LifetimeOptions {
  /** How long a stop may take in all, in milliseconds; 8,000 by default, `0` cuts requests off at once. */
  readonly shutdownTimeout?: number | undefined;
  /** How long the server goes on before its stop begins, in milliseconds; 0 by default. */
  readonly drainDelay?: number | undefined;
  /** Told that a stop was requested and begins after the delay: the moment to turn readiness off. */
  readonly onDrain?: (() => void) | undefined;
  /** Whether SIGINT and SIGTERM stop the server; they do by default. */
  readonly handleSignals?: boolean | undefined;
  /** Told that a stop has begun, while requests still run: the moment to end streams that would never end. */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
  /**
   * Closes connections that Deno would cut, given the moment when requests are cut off; requests are still served
   * meanwhile. Returns `undefined` if there are none.
   */
  readonly closeSockets?: ((until: number) => Promise<void> | undefined) | undefined;
  /** Told that the time of the requests is up: the moment to end those that still run. */
  readonly onCut?: (() => void) | undefined;
  /** Where to report; without it the server is silent. */
  readonly log?: ServerLog | undefined;
}

/** How a server came to its end. */
export interface ServerEnding {
  /** The signal that stopped it, if one did. */
  readonly signal: Deno.Signal | undefined;
  /** Whether every request was finished; `false` when the time ran out first. */
  readonly isDrained: boolean;
  /** The fault that stopped it, if one did. */
  readonly error: Error | undefined;
  /** When the whole stop has to be over, on the clock of `performance.now()`. */
  readonly deadline: number;
}

/** When the phases of a stop are over, on the clock of `performance.now()`. */
export interface Deadlines {
  /** Requests that still run are cut off. */
  readonly cut: number;
  /** All is over. */
  readonly end: number;
}

/** What a stop does to one kind of server. */
export interface Drainable {
  /** How to name the server in the log. */
  readonly url: string;
  /** Tells clients that their connections are about to be closed. */
  announce?(): void;
  /**
   * Finishes the requests under way.
   *
   * @param deadlines When they are cut off.
   * @param tell Tells the application that a stop has begun.
   * @returns Whether all of them were finished.
   */
  drain(deadlines: Deadlines, tell: () => Promise<void>): Promise<boolean>;
  /** Removes what must not outlive the server. */
  remove(): void;
  /** Reads the certificate anew; only a server that has one can. */
  readonly reload?: (() => void) | undefined;
}

const DEFAULT_LIMIT_MS = 8_000;

// Docker kills after 10 s and Kubernetes after 30: a stop that takes as long as it was allowed to must be over by then,
// so requests leave the last part of the time to the tasks after them.
const TAIL_MS = 1_000;
const TAIL_SHARE = 1 / 8;

/** Says nothing. */
export const SILENT: ServerLog = { Info(): void {}, Warn(): void {}, Error(): void {} };

/** The life of one server. */
export class Lifetime implements Stoppable {
  /** How long a stop may take from its begin, in milliseconds. */
  readonly limit: number;
  /** How long the server goes on before its stop begins, in milliseconds. */
  readonly delay: number;
  /** Resolves when the server has stopped; never rejects. */
  readonly finished: Promise<ServerEnding>;
  readonly #drainable: Drainable;
  readonly #options: LifetimeOptions;
  readonly #log: ServerLog;
  readonly #leaveSignals: Leave;
  readonly #endGuard: () => void;
  readonly #ended: PromiseWithResolvers<ServerEnding> = Promise.withResolvers();
  #isStopping = false;
  #signal: Deno.Signal | undefined = undefined;
  #error: Error | undefined = undefined;

  /** Begins the life of a server that is open. */
  constructor(drainable: Drainable, options: LifetimeOptions) {
    this.limit = options.shutdownTimeout ?? DEFAULT_LIMIT_MS;
    this.delay = options.drainDelay ?? 0;
    this.finished = this.#ended.promise;
    this.#drainable = drainable;
    this.reload = drainable.reload === undefined ? undefined : () => void (this.#isStopping || drainable.reload?.());
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#leaveSignals = options.handleSignals === false ? () => {} : joinSignals(this);
    this.#endGuard = guardStrays(this.#log);
  }

  /** Whether the end has begun. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Stops because of a signal. */
  stop(signal: Deno.Signal): void {
    if (this.#isStopping) return;
    this.#signal = signal;
    this.#log.Info(`Received ${signal}: finishing the requests under way, a second signal ends at once`);
    this.begin();
  }

  /** Stops because of a fault that nothing else helps against. */
  fail(error: Error): void {
    if (this.#isStopping) return;
    this.#error = error;
    this.begin();
  }

  /** Begins the stop, unless it has begun. */
  begin(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#stop();
  }

  /** Reads the certificate anew, if the server has one. */
  readonly reload: (() => void) | undefined;

  /** Cleans up right before the process is ended. */
  abandon(): void {
    this.#drainable.remove();
    this.#log.Flush?.();
  }

  async #stop(): Promise<void> {
    // Without a delay nothing is awaited: a handler that stops its server must find the gate closed when it returns.
    if (this.#isDelayed()) await this.#delayStop();
    const begin = performance.now();
    const requestTime = this.limit - Math.min(TAIL_MS, this.limit * TAIL_SHARE);
    const deadlines = { cut: begin + requestTime, end: begin + this.limit };
    const isDrained = await this.#drainable.drain(deadlines, () => this.#tell());
    if (!isDrained && this.limit > 0) {
      this.#log.Warn(`Cut off the requests on ${this.#drainable.url} that still ran after ${requestTime} ms`);
    }
    this.#log.Flush?.();
    this.#drainable.remove();
    this.#endGuard();
    this.#leaveSignals(isDrained);
    this.#ended.resolve({ signal: this.#signal, isDrained, error: this.#error, deadline: deadlines.end });
  }

  #isDelayed(): boolean {
    // A person who presses Ctrl+C has no load balancer.
    const isManual = this.#signal === "SIGINT" && Deno.stdin.isTerminal();
    return this.delay > 0 && this.#error === undefined && !isManual;
  }

  /** Goes on for a while, so that load balancers send their requests elsewhere before the listener is closed. */
  async #delayStop(): Promise<void> {
    this.#options.onDrain?.();
    this.#drainable.announce?.();
    await sleep(this.delay);
  }

  async #tell(): Promise<void> {
    try {
      await this.#options.onShutdown?.();
    } catch (error) {
      this.#log.Error("Shutdown callback failed:", error);
    }
  }
}
