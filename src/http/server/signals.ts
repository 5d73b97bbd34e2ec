/**
 * Stops the servers of this process on SIGINT and SIGTERM.
 *
 * @module
 */

import { LONGEST_MS } from "./wait.ts";

/** A server that is stopped by signals. */
export interface Stoppable {
  /** The maximum duration of its shutdown, in milliseconds. */
  readonly limit: number;
  /** The time for which the server continues before its shutdown begins, in milliseconds. */
  readonly delay: number;
  /** Begins a graceful shutdown. */
  stop(signal: Deno.Signal): void;
  /** Reloads the certificate. Only available if the server has one. */
  readonly reload?: (() => void) | undefined;
  /** Cleans up everything that must not outlive the process. Called immediately before the process exits. */
  abandon?(): void;
}

/** Called once when a server has stopped. The parameter is `true` if every request was finished. */
export type Leave = (isDrained: boolean) => void;

interface StopSignal {
  readonly name: Deno.Signal;
  /** The exit code that a shell reports for a program ended by this signal. */
  readonly exitCode: number;
  readonly listener: () => void;
}

/** Windows does not have SIGTERM. Ctrl+Break is the second way to stop a console program. */
const STOP_SIGNALS: readonly StopSignal[] = Deno.build.os === "windows"
  ? [stopSignal("SIGINT", 130), stopSignal("SIGBREAK", 149)]
  : [stopSignal("SIGINT", 130), stopSignal("SIGTERM", 143)];

/**
 * Programs that renew certificates send this signal, and so do terminals that are closed. Servers without a certificate
 * stop.
 */
const hangup: StopSignal | undefined = Deno.build.os === "windows"
  ? undefined
  : { name: "SIGHUP", exitCode: 129, listener: onHangup };

// A single Ctrl+C can arrive several times. A runner (npx, a task) forwards the signal that the terminal has already
// sent to the program, and `deno run --watch` sends SIGTERM after SIGINT. A person takes longer than this to press
// Ctrl+C again.
const ECHO_MS = 100;

// The minimum time for the tasks after a shutdown, even if there was no time for requests.
const LEAST_LIMIT_MS = 1_000;

const members = new Set<Stoppable>();
let received: StopSignal | undefined;
let receivedAt = 0;
let isAllDrained = true;

/**
 * Registers a server to be stopped by signals.
 *
 * The first signal stops every registered server. The process exits when the longest of their time limits has passed,
 * even if something keeps it alive. A second signal exits immediately. If requests were cut off, the exit code is the
 * one that a shell would report (130 or 143).
 *
 * @param member The server.
 * @returns A function to call once when the server has stopped, for any reason.
 */
export function joinSignals(member: Stoppable): Leave {
  if (members.size === 0) {
    received = undefined;
    isAllDrained = true;
    for (const { name, listener } of STOP_SIGNALS) Deno.addSignalListener(name, listener);
    if (hangup !== undefined) Deno.addSignalListener(hangup.name, hangup.listener);
  }
  members.add(member);
  return function leave(isDrained: boolean): void {
    if (!members.delete(member)) return;
    isAllDrained &&= isDrained;
    if (members.size > 0) return;
    for (const { name, listener } of STOP_SIGNALS) Deno.removeSignalListener(name, listener);
    if (hangup !== undefined) Deno.removeSignalListener(hangup.name, hangup.listener);
    if (received !== undefined && !isAllDrained) Deno.exitCode ||= received.exitCode;
  };
}

function stopSignal(name: Deno.Signal, exitCode: number): StopSignal {
  const signal: StopSignal = { name, exitCode, listener: () => onSignal(signal) };
  return signal;
}

function onHangup(): void {
  const reloading = [...members].filter((member) => member.reload !== undefined);
  if (reloading.length === 0 && hangup !== undefined) return onSignal(hangup);
  for (const member of reloading) member.reload?.();
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
  endAfter(Math.max(LEAST_LIMIT_MS, ...stopping.map(({ limit, delay }) => limit + delay)), signal);
  for (const member of stopping) member.stop(signal.name);
}

/**
 * Exits after the time limit. The code after `await app.Run()` gets the remaining time, but a running interval must not
 * prevent the process from exiting.
 */
function endAfter(limit: number, signal: StopSignal): void {
  if (limit > LONGEST_MS) return;
  const timer = setTimeout(() => endProcess(members.size === 0 && isAllDrained ? undefined : signal.exitCode), limit);
  Deno.unrefTimer(timer);
}

function endProcess(code: number | undefined): void {
  for (const member of members) member.abandon?.();
  try {
    Deno.exit(code);
  } catch {
    // Under `deno run --watch`, only the program ends, shortly after that. Deno signals this with an error.
  }
}
