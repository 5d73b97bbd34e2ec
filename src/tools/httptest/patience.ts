/**
 * The time limit of expectations.
 *
 * @module
 */

/** The timeout of an expectation, in milliseconds. */
const PATIENCE_MS = 5_000;
/** The time between two checks, in milliseconds. A pause of the process counts only twice as much. */
const LOOK_MS = 100;

const late = Symbol("late");

/**
 * Waits for a promise, within the time limit.
 *
 * @param coming The promise.
 * @param what The expected result, for the message.
 */
export async function inPatience<T>(coming: Promise<T>, what: string): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS;) {
    const begin = performance.now();
    const { promise, resolve } = Promise.withResolvers<typeof late>();
    const timer = setTimeout(resolve, LOOK_MS, late);
    try {
      const found = await Promise.race([coming, promise]);
      if (found !== late) return found;
    } finally {
      clearTimeout(timer);
    }
    // On a busy machine, the process may be paused for seconds, and nothing can arrive then.
    waited += Math.min(performance.now() - begin, 2 * LOOK_MS);
  }
  throw new Error(`Expected ${what}, but it did not arrive within ${PATIENCE_MS} ms`);
}
