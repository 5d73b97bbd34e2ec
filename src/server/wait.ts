/**
 * Waits with a limit.
 *
 * @module
 */

/** The longest time that `setTimeout` takes, in milliseconds; it would fire at once for a longer one. */
export const LONGEST_MS: number = 2 ** 31 - 1;

/**
 * Waits for a promise, up to a limit.
 *
 * @param promise What to wait for; it must not reject.
 * @param ms How long at most.
 * @returns Whether the promise resolved in time.
 */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    if (ms <= LONGEST_MS) timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits.
 *
 * @param ms How long.
 * @returns A promise that resolves then.
 */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
