/**
 * The number of test values: all in a full run, few in a fast run.
 *
 * @module
 */

/** Reports whether this is a `deno task test:fast` run. */
export function isFastRun(): boolean {
  return Deno.env.get("FW_TEST_FAST") !== undefined;
}

/**
 * Returns the number of values to test a property with.
 *
 * @param count The number in a full run.
 * @returns The same number, or a twentieth of it in a fast run.
 */
export function runs(count: number): number {
  return isFastRun() ? Math.ceil(count / 20) : count;
}
