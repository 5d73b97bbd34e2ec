/**
 * Stops waiting for a promise if a signal is aborted.
 *
 * @module
 */

/**
 * Waits for a promise until a signal is aborted.
 *
 * @param promise The promise. If the signal is aborted first, its result is ignored.
 * @param signal The signal.
 * @throws The reason of the signal if it is aborted first.
 */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
