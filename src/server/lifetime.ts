/**
 * The life of a server: it ends by a call, by a signal or by a fault, once, and within its limit.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";

/** How a server lives and stops. */
export interface LifetimeOptions {
  /** How long a stop may take in all, in milliseconds; 8,000 by default, `0` cuts requests off at once. */
  readonly shutdownTimeout?: number | undefined;
  /** Whether SIGINT and SIGTERM stop the server; they do by default. */
  readonly handleSignals?: boolean | undefined;
  /** Told that a stop has begun, while requests still run: the moment to end streams that would never end. */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
  /** Told that the time of the requests is up: the moment to end those that still run. */
  readonly onCut?: (() => void) | undefined;
  /** Where to report; without it the server is silent. */
  readonly log?: ServerLog | undefined;
}

/** How a server came to its end. */
export interface Ending {
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
  /** How long a stop may take in all, in milliseconds. */
  readonly limit: number;
  /** Resolves when the server has stopped; never rejects. */
  readonly finished: Promise<Ending>;
  readonly #drainable: Drainable;
  readonly #options: LifetimeOptions;
  readonly #log: ServerLog;
  readonly #leaveSignals: Leave;
  readonly #endGuard: () => void;
  readonly #ended: PromiseWithResolvers<Ending> = Promise.withResolvers();
  #isStopping = false;
  #signal: Deno.Signal | undefined = undefined;
  #error: Error | undefined = undefined;

  /** Begins the life of a server that is open. */
  constructor(drainable: Drainable, options: LifetimeOptions) {
    this.limit = options.shutdownTimeout ?? DEFAULT_LIMIT_MS;
    this.finished = this.#ended.promise;
    this.#drainable = drainable;
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

  /** Cleans up right before the process is ended. */
  abandon(): void {
    this.#drainable.remove();
    this.#log.Flush?.();
  }

  async #stop(): Promise<void> {
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

  async #tell(): Promise<void> {
    try {
      await this.#options.onShutdown?.();
    } catch (error) {
      this.#log.Error("Shutdown callback failed:", error);
    }
  }
}

/** A server that wants to hear of signals. */
export interface Stoppable {
  /** How long its stop may take in all, in milliseconds. */
  readonly limit: number;
  /** Begins an orderly stop. */
  stop(signal: Deno.Signal): void;
  /** Cleans up what must not outlive the process; called right before it is ended. */
  abandon(): void;
}

/** Called once when a server has stopped, with whether every request was finished. */
export type Leave = (isDrained: boolean) => void;

interface StopSignal {
  readonly name: Deno.Signal;
  /** What a shell reports for a program that this signal ended. */
  readonly exitCode: number;
  readonly listener: () => void;
}

/** Windows does not have SIGTERM; Ctrl+Break is its second way to stop a console program. */
const STOP_SIGNALS: readonly StopSignal[] = Deno.build.os === "windows"
  ? [stopSignal("SIGINT", 130), stopSignal("SIGBREAK", 149)]
  : [stopSignal("SIGINT", 130), stopSignal("SIGTERM", 143)];

// One Ctrl+C arrives several times: a runner (npx, a task) passes on what the terminal has sent to the program already,
// and `deno run --watch` sends SIGTERM after SIGINT. A person takes longer than that to press it again.
const ECHO_MS = 100;

// What the tasks after a stop get where the requests were given no time at all.
const LEAST_LIMIT_MS = 1_000;

const members = new Set<Stoppable>();
let received: StopSignal | undefined;
let receivedAt = 0;
let isAllDrained = true;

/**
 * Lets a server stop on signals.
 *
 * The first signal stops every server that joined, and the process has ended when the longest of their limits is over,
 * whatever still keeps it alive. A second signal ends it at once. Where requests were cut off, the exit code is the
 * shell's usual one (130, 143).
 *
 * @param member The server.
 * @returns A function to call once when the server has stopped, for any reason.
 */
function joinSignals(member: Stoppable): Leave {
  if (members.size === 0) {
    received = undefined;
    isAllDrained = true;
    for (const { name, listener } of STOP_SIGNALS) Deno.addSignalListener(name, listener);
  }
  members.add(member);
  return function leave(isDrained: boolean): void {
    if (!members.delete(member)) return;
    isAllDrained &&= isDrained;
    if (members.size > 0) return;
    for (const { name, listener } of STOP_SIGNALS) Deno.removeSignalListener(name, listener);
    if (received !== undefined && !isAllDrained) Deno.exitCode ||= received.exitCode;
  };
}

function stopSignal(name: Deno.Signal, exitCode: number): StopSignal {
  const signal: StopSignal = { name, exitCode, listener: () => onSignal(signal) };
  return signal;
}

function onSignal(signal: StopSignal): void {
  const now = performance.now();
  if (received !== undefined) {
    if (now - receivedAt >= ECHO_MS) endProcess(signal.exitCode);
    return;
  }
  received = signal;
  receivedAt = now;
  const stopping = [...members];
  endAfter(Math.max(LEAST_LIMIT_MS, ...stopping.map(({ limit }) => limit)), signal);
  for (const member of stopping) member.stop(signal.name);
}

/** The code behind `await app.Run()` gets what is left of the limit; an interval must not turn SIGTERM into nothing. */
function endAfter(limit: number, signal: StopSignal): void {
  if (limit > LONGEST_MS) return;
  const timer = setTimeout(() => endProcess(members.size === 0 && isAllDrained ? undefined : signal.exitCode), limit);
  Deno.unrefTimer(timer);
}

function endProcess(code: number | undefined): void {
  for (const member of members) member.abandon();
  try {
    Deno.exit(code);
  } catch {
    // Under `deno run --watch` only the program ends, a little later; Deno says so by an error.
  }
}

interface Guard {
  readonly log: ServerLog;
}

const guards: Guard[] = [];

/**
 * Logs unhandled rejections, which would end the process, until the last guard is taken down.
 *
 * Exceptions thrown out of a timer or an event listener still end the process, as Deno has it: what they interrupted
 * is in an unknown state and belongs to no request, so a restart is safer than going on. A rejection leaves nothing
 * half done but its own chain of awaits. The failure of the main module ends the process too, with code 1: a program
 * that did not get to its end does not serve what its author meant.
 *
 * A rejection that a listener of the application has already dealt with (`event.preventDefault()`) is left to it.
 *
 * @param log Where to report; the latest guard that is still up is told.
 * @returns A function that takes this guard down. Calling it again does nothing.
 */
export function guardStrays(log: ServerLog): () => void {
  if (guards.length === 0) globalThis.addEventListener("unhandledrejection", onStray);
  const guard: Guard = { log };
  guards.push(guard);
  return function endGuard(): void {
    const index = guards.indexOf(guard);
    if (index < 0) return;
    guards.splice(index, 1);
    if (guards.length === 0) globalThis.removeEventListener("unhandledrejection", onStray);
  };
}

function onStray(event: PromiseRejectionEvent): void {
  if (event.defaultPrevented) return;
  event.preventDefault();
  const log = guards.at(-1)?.log;
  log?.Error("Unhandled rejection:", event.reason);
  endIfMainFailed(event.reason, log);
}

/** Importing the main module again gives what became of it, and waits for ever while it still runs. */
async function endIfMainFailed(reason: unknown, log: ServerLog | undefined): Promise<void> {
  if ("WorkerGlobalScope" in globalThis) return;
  try {
    await import(Deno.mainModule);
  } catch (error) {
    if (error !== reason) return;
    log?.Error("The main module has failed: the process ends");
    log?.Flush?.();
    Deno.exit(1);
  }
}

/** The longest time that `setTimeout` takes, in milliseconds; it would fire at once for a longer one. */
const LONGEST_MS: number = 2 ** 31 - 1;

/**
 * Waits for a promise, up to a limit.
 *
 * @param promise What to wait for; it must not reject.
 * @param ms How long at most.
 * @returns Whether the promise resolved in time.
 */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    if (ms <= LONGEST_MS) timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits.
 *
 * @param ms How long.
 * @returns A promise that resolves then.
 */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
