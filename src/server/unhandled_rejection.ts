/**
 * Keeps a rejection that nobody awaited from ending a process that serves.
 *
 * @module
 */

import type { ServerLog } from "./log.ts";

interface Guard {
  readonly log: ServerLog;
}

const guards: Guard[] = [];

/**
 * Logs unhandled rejections, which would end the process, for as long as anybody asks for it.
 *
 * Exceptions thrown out of a timer or an event listener still end the process, as Deno has it: what they interrupted
 * is in an unknown state and belongs to no request, so a restart is safer than going on. A rejection leaves nothing
 * half done but its own chain of awaits.
 *
 * A rejection that a listener of the application has already dealt with (`event.preventDefault()`) is left to it.
 *
 * @param log Where to report; the latest guard that is still up is told.
 * @returns A function that ends this guard. Calling it again does nothing.
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
  guards.at(-1)?.log.Error("Unhandled rejection:", event.reason);
}
