/**
 * A timeout that costs nothing at start-up.
 *
 * @module
 */

/** A timeout that can be canceled. */
export interface QuietTimeout {
  /** Resolves when the time has passed. Never resolves after a cancellation. */
  readonly passed: Promise<void>;
  /** Cancels the timeout. */
  cancel(): void;
}

/**
 * Begins a timeout. Like an unreferenced timer, it does not keep the process alive.
 *
 * The first timer of a process loads a part of Node.js, which would delay the first response by 8 ms, so this waits on
 * memory instead.
 *
 * @param ms The time, in milliseconds.
 */
export function quietTimeout(ms: number): QuietTimeout {
  const memory = new Int32Array(new SharedArrayBuffer(4));
  const waited = Promise.resolve(Atomics.waitAsync(memory, 0, 0, ms).value);
  return {
    passed: waited.then((outcome) => outcome === "timed-out" ? undefined : new Promise<void>(() => {})),
    cancel: () => void Atomics.notify(memory, 0),
  };
}
