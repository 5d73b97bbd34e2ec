/**
 * Tests that mostly wait, for example for time limits, and do so at the same time.
 *
 * @module
 */

/** A test. */
interface Case {
  readonly name: string;
  readonly ignore: boolean;
  readonly fn: () => Promise<void>;
}

/**
 * Registers tests that share nothing and run side by side. The first test starts all of them and waits until they have
 * ended, so the sanitizers see everything that any of them leaves behind. Each test reports its own result.
 *
 * @param cases The tests.
 */
export function testSideBySide(cases: readonly Case[]): void {
  let results: Promise<PromiseSettledResult<void>[]> | undefined;
  for (const [index, { name, ignore }] of cases.entries()) {
    Deno.test({
      name,
      ignore,
      async fn() {
        results ??= Promise.allSettled(cases.map(async (each) => each.ignore ? undefined : await each.fn()));
        const result = (await results)[index];
        if (result?.status === "rejected") throw result.reason;
      },
    });
  }
}
