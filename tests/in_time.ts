/**
 * Steps that only have a defined outcome if they are fast enough. On a busy machine, a process may be paused for seconds
 * at any point.
 *
 * @module
 */

const attempts = 5;

/**
 * Runs steps that must be completed within a time. If they fail, they are repeated only if they took longer, because
 * the outcome of slower steps is not defined.
 *
 * @param milliseconds The time within which the outcome is defined.
 * @param steps The steps. They must not depend on the state of an earlier attempt. The time begins with the steps, or
 * when they call the given function.
 * @returns The result of the steps.
 */
export async function inTime<T>(milliseconds: number, steps: (begin: () => void) => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    let begun = performance.now();
    try {
      return await steps(() => begun = performance.now());
    } catch (error) {
      if (performance.now() - begun < milliseconds || attempt === attempts) throw error;
    }
  }
}
