/**
 * Serves requests on an endpoint until it is stopped. If a listener fails, it is reopened.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { isReported } from "../../base/errors/reported_errors.ts";
import { type Gate, makeGate, type ServeHandler } from "./drain_gate.ts";
import { type Endpoint, openEndpoint, pinRunner, type Wiring } from "./endpoint.ts";
import {
  type Deadlines,
  type Drainable,
  Lifetime,
  type LifetimeOptions,
  type ServerEnding,
  SILENT,
} from "./lifetime.ts";
import type { ServerLog } from "./log.ts";
// Loaded before it is needed, because a process without file descriptors cannot read a file.
import { reopen } from "./reopen.ts";
import type { Runner, TLSRunner } from "./runner.ts";
import { sleep, waitAtMost } from "./wait.ts";

/** Options for {@linkcode serve}. */
export interface ServeOptions extends LifetimeOptions {
  /** Whether several processes can listen on the same port. Requires Deno's flag `--unstable-net`. */
  readonly reusePort?: boolean | undefined;
  /** Called with the address when the server is listening. */
  readonly onListen?: ((address: Deno.Addr) => void) | undefined;
}

/** A running server. */
export interface Running {
  /** Resolves when the server has stopped. Never rejects. */
  readonly finished: Promise<ServerEnding>;
  /**
   * Shuts down the server. No new connections are accepted, and requests in flight are drained. It can be called any
   * number of times.
   *
   * @returns A promise that resolves when the server has stopped. If a request handler calls this method before its
   * first `await`, the promise resolves immediately, because the handler would otherwise wait for itself. If a handler
   * waits for the promise after an `await`, it waits until it is cut off.
   */
  shutdown(): Promise<void>;
}

/** A server that listens. */
export interface Listening extends Running {
  /** The address. Port `0` is replaced with the port that was chosen. */
  readonly addr: Deno.Addr;
  /** The URL of the server, such as `http://localhost:8080` or `unix:/run/app.sock`. */
  readonly url: string;
}

// A shutdown holds responses back until no request has arrived for this long, up to the limit below.
const QUIET_MS = 20;
const HOLD_MS = 250;

// The time for WebSocket handlers to finish before a new certificate is used.
const SOCKETS_MS = 2_000;

// If a listener fails repeatedly, for example because too many files are open, it must not fill the log.
const REPORT_AGAIN_MS = 10_000;

/**
 * Starts a server.
 *
 * @param runner The address to listen on.
 * @param fetch The function that serves requests. No other promises are created or awaited around it.
 * @param options The options.
 * @returns The server, when it is listening.
 * @throws {FrameworkError} If the server cannot listen (`FW_LISTEN`) or the address is not valid (`FW_ADDRESS`).
 */
export async function serve(runner: Runner, fetch: ServeHandler, options: ServeOptions = {}): Promise<Listening> {
  const log = options.log ?? SILENT;
  const gate = makeGate(fetch);
  const cut = new AbortController();
  const wiring: Wiring = {
    handler: gate.handler,
    onError: (error) => respondToFailure(log, error),
    signal: cut.signal,
    reusePort: options.reusePort ?? false,
  };
  const server = new Server({ runner, wiring, gate, cut, options, endpoint: await openEndpoint(runner, wiring) });
  try {
    const listened: unknown = options.onListen?.(server.addr);
    if (isThenable(listened)) listened.then(undefined, (error) => log.Error("Cannot run OnListen:", error));
  } catch (error) {
    await server.shutdown();
    throw error;
  }
  return server;
}

/** The parts of a server. */
interface Parts {
  readonly runner: Runner;
  readonly wiring: Wiring;
  readonly gate: Gate;
  readonly cut: AbortController;
  readonly options: ServeOptions;
  readonly endpoint: Endpoint;
}

class Server implements Listening, Drainable {
  readonly addr: Deno.Addr;
  readonly url: string;
  readonly finished: Promise<ServerEnding>;
  readonly #parts: Parts;
  readonly #log: ServerLog;
  readonly #lifetime: Lifetime;
  /** The open listener, or `undefined` while it is being replaced. */
  #endpoint: Endpoint | undefined;
  /** The listeners that have been replaced but still have requests in flight. */
  readonly #retired = new Set<Promise<unknown>>();
  /** Reloads the certificate, if the server has one. */
  readonly reload: (() => void) | undefined;
  /** The last reload, if there was one. Reloads run one after the other. */
  #reloaded: Promise<void> | undefined = undefined;
  #isReloadPending = false;
  #reportedAt = -Infinity;

  constructor(parts: Parts) {
    this.addr = parts.endpoint.server.addr;
    this.url = parts.endpoint.url;
    this.#parts = parts;
    this.#log = parts.options.log ?? SILENT;
    this.#endpoint = parts.endpoint;
    const { runner } = parts;
    this.reload = runner.Kind === "tls" ? () => this.#reload(runner) : undefined;
    this.#lifetime = new Lifetime(this, parts.options);
    this.finished = this.#lifetime.finished;
    this.#watch();
  }

  shutdown(): Promise<void> {
    this.#lifetime.begin();
    return this.#parts.gate.isInside() ? Promise.resolve() : this.finished.then(() => {});
  }

  remove(): void {
    this.#endpoint?.remove();
  }

  announce(): void {
    this.#parts.gate.announce();
  }

  async drain(deadlines: Deadlines, tell: () => Promise<void>): Promise<boolean> {
    const { gate, options } = this.#parts;
    const told = tell();
    if (this.#reloaded !== undefined) await this.#reloaded;
    const closing = this.#lifetime.limit === 0 ? undefined : options.closeSockets?.(deadlines.cut);
    // Deno closes all WebSockets immediately when its server stops.
    if (closing !== undefined) await waitAtMost(closing, deadlines.cut - performance.now());
    gate.hold();
    if (this.#lifetime.limit === 0) return this.#cutNow();
    await this.#holdUntilQuiet(Math.min(HOLD_MS, this.#lifetime.limit / 4));
    const closed = this.#endpoint?.server.shutdown();
    const stopped = Promise.all([told, closed, finishedOf(this.#endpoint), ...this.#retired]);
    gate.release();
    if (await waitAtMost(stopped, deadlines.cut - performance.now())) return true;
    // Deno cannot cut off a server that is shutting down. The application ends the remaining requests, which close
    // their own connections.
    options.onCut?.();
    await waitAtMost(stopped, (deadlines.end - performance.now()) / 2);
    return false;
  }

  async #cutNow(): Promise<boolean> {
    const { gate, cut, options } = this.#parts;
    cut.abort();
    options.onCut?.();
    gate.release();
    await finishedOf(this.#endpoint);
    return false;
  }

  async #holdUntilQuiet(limit: number): Promise<void> {
    const { gate } = this.#parts;
    const end = performance.now() + limit;
    let seen: number;
    do {
      seen = gate.count();
      await sleep(Math.min(QUIET_MS, limit));
      // On a busy machine, this process itself may have been waiting, so check the sockets before the server is
      // considered idle.
      await sleep(0);
      await sleep(0);
    } while (seen !== gate.count() && performance.now() < end);
  }

  /** Reopens the listener if it fails. Open connections are kept. */
  async #watch(): Promise<void> {
    for (;;) {
      const watched = this.#endpoint;
      const fault = await finishedOf(watched);
      // A listener that was replaced has ended on purpose.
      if (this.#lifetime.isStopping || watched !== this.#endpoint) return;
      this.#report(fault);
      if (!await this.#reopen()) return;
    }
  }

  /** Opens the listener again. Ends the server if that fails. */
  async #reopen(): Promise<boolean> {
    const { runner, wiring } = this.#parts;
    const next = await reopen(pinRunner(runner, this.addr), wiring, () => !this.#lifetime.isStopping);
    if (next instanceof Error) this.#lifetime.fail(next);
    if (next === undefined || next instanceof Error) return false;
    this.#endpoint = next;
    return true;
  }

  /** Reloads the certificate after the current reload. Requests to reload that arrive in the meantime are one. */
  #reload(runner: TLSRunner): void {
    if (this.#isReloadPending) return;
    this.#isReloadPending = true;
    this.#reloaded = Promise.resolve(this.#reloaded).then(() => {
      this.#isReloadPending = false;
      return this.#renew(runner);
    });
  }

  /** Replaces the listener with one that uses the current certificate files. */
  async #renew(runner: TLSRunner): Promise<void> {
    if (this.#lifetime.isStopping) return;
    const { renewCertificate } = await loadModule(() => import("./renew_certificate.ts"));
    const { gate, wiring } = this.#parts;
    await renewCertificate(pinRunner(runner, this.addr) as TLSRunner, wiring, this.#log, {
      retire: () => this.#retire(),
      adopt: (endpoint) => {
        this.#endpoint = endpoint;
        this.#watch();
      },
      isStopping: () => this.#lifetime.isStopping,
    });
    if (this.#lifetime.isStopping) return;
    gate.reopen();
    if (this.#endpoint === undefined && await this.#reopen()) this.#watch();
  }

  /** Closes the listener. Its requests in flight continue. */
  async #retire(): Promise<void> {
    const { gate, options } = this.#parts;
    // Deno closes the WebSockets of a listener with it. Clients that are notified in advance reconnect and resume.
    const closing = options.closeSockets?.(performance.now() + SOCKETS_MS);
    if (closing !== undefined) await waitAtMost(closing, SOCKETS_MS);
    // As in a shutdown, serve the requests that are on their way before idle connections are closed.
    gate.hold();
    await this.#holdUntilQuiet(HOLD_MS);
    const old = this.#endpoint;
    this.#endpoint = undefined;
    const ended = Promise.all([old?.server.shutdown(), finishedOf(old)]).finally(() => this.#retired.delete(ended));
    this.#retired.add(ended);
  }

  #report(fault: unknown): void {
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_AGAIN_MS) return;
    this.#reportedAt = now;
    this.#log.Error(`Listener on ${this.url} failed and is being reopened:`, fault ?? "no reason given");
  }
}

/** Waits until Deno's server has ended. Returns the error that ended it, if there was one. */
async function finishedOf(endpoint: Endpoint | undefined): Promise<unknown> {
  try {
    await endpoint?.server.finished;
    return undefined;
  } catch (error) {
    return error;
  }
}

function respondToFailure(log: ServerLog, error: unknown): Response {
  if (!isReported(error)) log.Error("Request handler failed:", error);
  return new Response("Internal Server Error", { status: 500 });
}
