/**
 * Stops the servers of this process on SIGINT and SIGTERM.
 *
 * @module
 */

import { LONGEST_MS } from "./wait.ts";

/** A server that wants to hear of signals. */
export interface Stoppable {
  /** How long its stop may take in all, in milliseconds. */
  readonly limit: number;
  /** How long it goes on before its stop begins, in milliseconds. */
  readonly delay: number;
  /** Begins an orderly stop. */
  stop(signal: Deno.Signal): void;
  /** Reads its certificate anew; only a server that has one can. */
  readonly reload?: (() => void) | undefined;
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

/** Programs that renew certificates send it, and so do terminals that close: servers without a certificate stop. */
const hangup: StopSignal | undefined = Deno.build.os === "windows"
  ? undefined
  : { name: "SIGHUP", exitCode: 129, listener: onHangup };

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
