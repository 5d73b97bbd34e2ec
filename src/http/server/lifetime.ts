/**
 * The life cycle of a server. It ends exactly once, by a call, a signal or an error, and within a time limit.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";
import { joinSignals, type Leave, type Stoppable } from "./signals.ts";
import { guardUnhandled } from "./unhandled_errors.ts";
import { sleep } from "./wait.ts";

/** Options for the life cycle of a server. */
export interface LifetimeOptions {
  /**
   * The maximum duration of a shutdown, in milliseconds. If 0, requests are cut off immediately.
   *
   * @default {8000}
   */
  readonly shutdownTimeout?: number | undefined;
  /**
   * The time for which the server continues to accept requests before a shutdown begins, in milliseconds.
   *
   * @default {0}
   */
  readonly drainDelay?: number | undefined;
  /**
   * Called when a shutdown was requested and will begin after the delay. Use it to report that the server is no longer
   * ready.
   */
  readonly onDrain?: (() => void) | undefined;
  /**
   * Whether SIGINT and SIGTERM stop the server.
   *
   * @default {true}
   */
  readonly handleSignals?: boolean | undefined;
  /**
   * Called when a shutdown has begun, while requests are still in flight. Use it to end streams that would otherwise
   * never end.
   */
  readonly onShutdown?: (() => unknown) | undefined;
  /**
   * Closes the connections that Deno would cut off, such as WebSockets. The parameter is the time at which requests are
   * cut off. Requests are still served in the meantime. Returns `undefined` if there are no such connections.
   */
  readonly closeSockets?: ((until: number) => Promise<void> | undefined) | undefined;
  /** Called when the time limit for requests has been reached. Use it to end the requests that are still in flight. */
  readonly onCut?: (() => void) | undefined;
  /** The log. If omitted, the server logs nothing. */
  readonly log?: ServerLog | undefined;
}

/** The outcome of a server. */
export interface ServerEnding {
  /** The signal that stopped the server, if there was one. */
  readonly signal: Deno.Signal | undefined;
  /** Whether every request was finished. `false` if the time limit expired first. */
  readonly isDrained: boolean;
  /** The error that stopped the server, if there was one. */
  readonly error: Error | undefined;
  /** The time by which the whole shutdown must be finished, as measured by `performance.now()`. */
  readonly deadline: number;
}

/** The deadlines of a shutdown, as measured by `performance.now()`. */
export interface Deadlines {
  /** The time at which requests in flight are cut off. */
  readonly cut: number;
  /** The time by which everything must be finished. */
  readonly end: number;
}

/** The shutdown operations of one kind of server. */
export interface Drainable {
  /** The URL of the server, for the log. */
  readonly url: string;
  /** Tells clients that their connections are about to be closed. */
  announce?(): void;
  /**
   * Drains the requests in flight.
   *
   * @param deadlines The deadlines.
   * @param tell Notifies the application that the shutdown has begun.
   * @returns Whether all requests were finished.
   */
  drain(deadlines: Deadlines, tell: () => Promise<void>): Promise<boolean>;
  /** Removes everything that must not outlive the server. */
  remove(): void;
  /** Reloads the certificate. Only available if the server has one. */
  readonly reload?: (() => void) | undefined;
}

const DEFAULT_LIMIT_MS = 8_000;

// Docker kills a process after 10 s, and Kubernetes after 30 s. A shutdown that uses its whole time limit must be
// finished by then, so the last part of the time is reserved for the tasks that run after the requests.
const TAIL_MS = 1_000;
const TAIL_SHARE = 1 / 8;

/** A log that discards everything. */
export const SILENT: ServerLog = { Info(): void {}, Warn(): void {}, Error(): void {} };

/** The life cycle of a server. */
export class Lifetime implements Stoppable {
  /** The maximum duration of a shutdown, in milliseconds. */
  readonly limit: number;
  /** The time for which the server continues before a shutdown begins, in milliseconds. */
  readonly delay: number;
  /** Resolves when the server has stopped. Never rejects. */
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

  /** Begins the life cycle of a server that is open. */
  constructor(drainable: Drainable, options: LifetimeOptions) {
    this.limit = options.shutdownTimeout ?? DEFAULT_LIMIT_MS;
    this.delay = options.drainDelay ?? 0;
    this.finished = this.#ended.promise;
    this.#drainable = drainable;
    this.reload = drainable.reload === undefined ? undefined : () => void (this.#isStopping || drainable.reload?.());
    this.#options = options;
    this.#log = options.log ?? SILENT;
    this.#leaveSignals = options.handleSignals === false ? () => {} : joinSignals(this);
    this.#endGuard = guardUnhandled(this.#log);
  }

  /** Reports whether the shutdown has begun. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Stops the server because of a signal. */
  stop(signal: Deno.Signal): void {
    if (this.#isStopping) return;
    this.#signal = signal;
    this.#log.Info(`Received ${signal}: draining requests; send a second signal to exit immediately`);
    this.begin();
  }

  /** Stops the server because of an unrecoverable error. */
  fail(error: Error): void {
    if (this.#isStopping) return;
    this.#error = error;
    this.begin();
  }

  /** Begins the shutdown, unless it has already begun. */
  begin(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#stop();
  }

  /** Reloads the certificate, if the server has one. */
  readonly reload: (() => void) | undefined;

  /** Cleans up immediately before the process exits. */
  abandon(): void {
    this.#drainable.remove();
    this.#log.Flush?.();
  }

  async #stop(): Promise<void> {
    // Without a delay, nothing is awaited, so that the gate is already closed when a handler that stops its server
    // returns.
    if (this.#isDelayed()) await this.#delayStop();
    const begin = performance.now();
    const requestTime = this.limit - Math.min(TAIL_MS, this.limit * TAIL_SHARE);
    const deadlines = { cut: begin + requestTime, end: begin + this.limit };
    const isDrained = await this.#drainable.drain(deadlines, () => this.#tell());
    if (!isDrained && this.limit > 0) {
      this.#log.Warn(
        `Cut off the requests on ${this.#drainable.url} that were still in flight after ${requestTime} ms; the ` +
          `remaining ${this.limit - requestTime} ms of the shutdown timeout are reserved for shutdown tasks`,
      );
    }
    this.#log.Flush?.();
    this.#drainable.remove();
    this.#endGuard();
    this.#leaveSignals(isDrained);
    this.#ended.resolve({ signal: this.#signal, isDrained, error: this.#error, deadline: deadlines.end });
  }

  #isDelayed(): boolean {
    // If a person presses Ctrl+C, there is no load balancer to wait for.
    const isManual = this.#signal === "SIGINT" && Deno.stdin.isTerminal();
    return this.delay > 0 && this.#error === undefined && !isManual;
  }

  /** Continues serving for a while, so that load balancers stop sending requests before the listener is closed. */
  async #delayStop(): Promise<void> {
    this.#options.onDrain?.();
    this.#drainable.announce?.();
    await sleep(this.delay);
  }

  async #tell(): Promise<void> {
    try {
      await this.#options.onShutdown?.();
    } catch (error) {
      this.#log.Error("Cannot run the shutdown callback:", error);
    }
  }
}
