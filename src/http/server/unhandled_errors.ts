/**
 * Prevents unhandled rejections and errors of WebSocket listeners from ending a process that serves requests.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import type { ServerLog } from "./log.ts";

interface Guard {
  readonly log: ServerLog;
}

const guards: Guard[] = [];

/**
 * Logs unhandled rejections and exceptions thrown by WebSocket listeners until the last guard is removed. Without a
 * guard, they would end the process, and any client could cause that with a message that `onmessage` does not expect.
 *
 * Exceptions thrown from a timer or from another event listener still end the process, as usual in Deno. The
 * interrupted code is in an unknown state and does not belong to a client, so a restart is safer than continuing. A
 * rejection only interrupts its own chain of awaits. If the main module fails, the process exits with code 1, because a
 * program that did not finish starting may not work as intended.
 *
 * Errors that one of the application's listeners has already handled (`event.preventDefault()`) are ignored.
 *
 * @param log The log. The most recent guard that is still active is used.
 * @returns A function that removes this guard. Calling it again has no effect.
 */
export function guardUnhandled(log: ServerLog): () => void {
  if (guards.length === 0) {
    globalThis.addEventListener("unhandledrejection", onRejection);
    globalThis.addEventListener("error", onException);
  }
  const guard: Guard = { log };
  guards.push(guard);
  return function endGuard(): void {
    const index = guards.indexOf(guard);
    if (index < 0) return;
    guards.splice(index, 1);
    if (guards.length > 0) return;
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onException);
  };
}

function onException(event: ErrorEvent): void {
  if (event.defaultPrevented || !isInWebSocketListener()) return;
  event.preventDefault();
  guards.at(-1)?.log.Error("A WebSocket listener failed:", event.error);
}

/**
 * Reports whether the exception that is being reported was thrown by a listener of a WebSocket. The event does not say
 * so, but it is dispatched while the listener's caller is still on the stack.
 */
function isInWebSocketListener(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Infinity;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  return stack.includes("(ext:deno_websocket/");
}

function onRejection(event: PromiseRejectionEvent): void {
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
    await loadModule(() => import(Deno.mainModule));
  } catch (error) {
    if (error !== reason) return;
    log?.Error("The main module failed: exiting");
    log?.Flush?.();
    Deno.exit(1);
  }
}
