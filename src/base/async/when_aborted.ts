/**
 * Waits for signals that many streams share, such as those of a shutdown.
 *
 * @module
 */

import { notify } from "./callback.ts";

/** The tasks that wait for one signal. */
class Wait extends Set<() => void> {
  handleEvent(): void {
    // A task that fails must not keep the others from running.
    for (const task of this) notify(task, reportError);
  }
}

const waits = new WeakMap<AbortSignal, Wait>();

/**
 * Runs a task when a signal is aborted. A signal compares a new listener with all others, which takes 140 µs for each
 * of 10,000 streams. Therefore, it has one listener for all tasks.
 *
 * @param signal The signal. If it is aborted already, the task does not run.
 * @param task The task.
 * @returns A function that ends the wait.
 */
export function whenAborted(signal: AbortSignal, task: () => void): () => void {
  const wait = waits.get(signal) ?? new Wait();
  if (wait.size === 0) {
    waits.set(signal, wait);
    signal.addEventListener("abort", wait);
  }
  wait.add(task);
  return () => {
    wait.delete(task);
    // A signal that depends on others is kept in memory as long as it has a listener.
    if (wait.size === 0) signal.removeEventListener("abort", wait);
  };
}
