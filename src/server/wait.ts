/**
 * Waits with a limit.
 *
 * @module
 */

// What setTimeout can hold; a longer wait would fire at once.
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Waits for a promise, but not for ever.
 *
 * @param promise What to wait for; it must not reject.
 * @param ms How long at most.
 * @returns Whether the promise came in time.
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
