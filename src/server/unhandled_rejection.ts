/**
 * Prevents unhandled rejections from ending a process that serves requests.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";

interface Guard {
  readonly log: ServerLog;
}

const guards: Guard[] = [];

/**
 * Logs unhandled rejections until the last guard is removed. Without a guard, they would end the process.
 *
 * Exceptions thrown from a timer or an event listener still end the process, as usual in Deno. The interrupted code is
 * in an unknown state and does not belong to a request, so a restart is safer than continuing. A rejection only
 * interrupts its own chain of awaits. If the main module fails, the process exits with code 1, because a program that
 * did not finish starting may not work as intended.
 *
 * A rejection that one of the application's listeners has already handled (`event.preventDefault()`) is ignored.
 *
 * @param log The log. The most recent guard that is still active is used.
 * @returns A function that removes this guard. Calling it again has no effect.
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

/**
 * Exits if the main module has failed. Importing the module again returns its result, or waits forever while it is
 * still running.
 */
async function endIfMainFailed(reason: unknown, log: ServerLog | undefined): Promise<void> {
  if ("WorkerGlobalScope" in globalThis) return;
  try {
    await import(Deno.mainModule);
  } catch (error) {
    if (error !== reason) return;
    log?.Error("The main module failed: exiting");
    log?.Flush?.();
    Deno.exit(1);
  }
}
