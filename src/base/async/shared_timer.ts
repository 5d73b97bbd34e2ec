/**
 * Timers that serve several calls.
 *
 * @module
 */

import { runShared } from "./async_context.ts";

/**
 * Starts a timer that serves several calls, outside the asynchronous context of the current call.
 *
 * @param start Calls `setInterval` or `setTimeout`.
 * @returns A function that stops the timer.
 */
export function startShared(start: () => ReturnType<typeof setInterval>): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopped = false;
  void runShared(() => {
    if (!isStopped) timer = start();
  });
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
