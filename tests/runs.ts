/**
 * How much is tried: all in a whole run, a little in a fast one.
 *
 * @module
 */

/** Whether this is the run of `deno task test:fast`. */
export function isFastRun(): boolean {
  return Deno.env.get("FW_TEST_FAST") !== undefined;
}

/**
 * Says how many values a property is tried with.
 *
 * @param count How many in a whole run.
 * @returns The same, or a twentieth in a fast run.
 */
export function runs(count: number): number {
  return isFastRun() ? Math.ceil(count / 20) : count;
}
