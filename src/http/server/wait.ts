/**
 * Waits with a time limit.
 *
 * @module
 */

/** The maximum delay of `setTimeout`, in milliseconds. With a longer delay, it fires immediately. */
export const LONGEST_MS: number = 2 ** 31 - 1;

/**
 * Waits for a promise, up to a time limit.
 *
 * @param promise The promise. It must not reject.
 * @param ms The time limit, in milliseconds.
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
 * Waits for a given time.
 *
 * @param ms The time, in milliseconds.
 * @returns A promise that resolves after that time.
 */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
