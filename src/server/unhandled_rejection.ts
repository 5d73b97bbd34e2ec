/**
 * Keeps a rejection that no code awaited from ending a process that serves.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";

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
