/**
 * Stops the servers of this process on SIGINT and SIGTERM.
 *
 * @module
 */

/** A server that wants to hear of signals. */
export interface Stoppable {
  /** Begins an orderly stop. */
  stop(signal: Deno.Signal): void;
  /** Cleans up what must not outlive the process; called right before it is ended. */
  abandon(): void;
}

/** How a server left: `true` when every request was finished. */
export type Leave = (isDrained: boolean) => void;

interface StopSignal {
  readonly name: Deno.Signal;
  /** What a shell reports for a program that this signal ended. */
  readonly exitCode: number;
  readonly listener: () => void;
}

/** Windows knows no SIGTERM; Ctrl+Break is its second way to stop a console program. */
const STOP_SIGNALS: readonly StopSignal[] = Deno.build.os === "windows"
  ? [stopSignal("SIGINT", 130), stopSignal("SIGBREAK", 149)]
  : [stopSignal("SIGINT", 130), stopSignal("SIGTERM", 143)];

// One Ctrl+C reaches a program twice when a runner (npx, a task) passes on what the terminal has sent to it already.
const ECHO_MS = 100;

// After the servers have stopped, the code behind `await app.Run()` gets its time. What then still keeps the process
// alive (an interval, a connection whose handler never ends) must not turn SIGTERM into something that does nothing.
const EXIT_AFTER_DRAIN_MS = 10_000;
const EXIT_AFTER_CUT_MS = 2_000;

const members = new Set<Stoppable>();
let received: StopSignal | undefined;
let receivedAt = 0;
let isAllDrained = true;

/**
 * Lets a server stop on signals.
 *
 * The first signal stops every server that joined; a second one ends the process at once with the shell's usual code
 * (130, 143). When the last server has left after a signal and something else keeps the process alive, it is ended.
 *
 * @param member The server.
 * @returns A function to call once when the server has stopped, for whatever reason.
 */
export function joinSignals(member: Stoppable): Leave {
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
    if (received !== undefined) exitLater(received);
  };
}

function stopSignal(name: Deno.Signal, exitCode: number): StopSignal {
  const signal: StopSignal = { name, exitCode, listener: () => onSignal(signal) };
  return signal;
}

function onSignal(signal: StopSignal): void {
  const now = performance.now();
  if (received !== undefined) {
    if (signal === received && now - receivedAt < ECHO_MS) return;
    for (const member of members) member.abandon();
    Deno.exit(signal.exitCode);
  }
  received = signal;
  receivedAt = now;
  for (const member of [...members]) member.stop(signal.name);
}

function exitLater(signal: StopSignal): void {
  const [wait, code] = isAllDrained ? [EXIT_AFTER_DRAIN_MS, undefined] : [EXIT_AFTER_CUT_MS, signal.exitCode];
  Deno.unrefTimer(setTimeout(() => Deno.exit(code), wait));
}
