/**
 * The table of callbacks and faults.
 *
 * @module
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import { Fault, type FaultName, faultNames } from "./faults.ts";

/** The results of one or more callbacks that behave alike. */
export interface Row {
  /** The callbacks, as `list.ts` names them. */
  readonly of: readonly string[];
  /**
   * Lets fw call the callback.
   *
   * @param fault The callback.
   * @param name Its name.
   * @returns The result, as a user would see it.
   */
  readonly run: (fault: Fault, name: string) => Promise<string>;
  /** The result of each fault. `values` applies to all values without a result of their own. */
  readonly gives:
    & Readonly<Record<"throws" | "rejects" | "never" | "values", string>>
    & {
      readonly [each in FaultName]?: string;
    };
}

/** The rows of one family of callbacks. */
export interface Family {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Returns the expected result of a cell. */
export function expected({ gives }: Row, fault: FaultName): string | undefined {
  return gives[fault] ?? gives.values;
}

/** Runs a cell, and returns its result. An unhandled rejection is a result, too. */
export async function resultOf({ run }: Row, name: string, faultName: FaultName): Promise<string> {
  const fault = new Fault(faultName);
  const strays: unknown[] = [];
  const onStray = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    strays.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", onStray);
  try {
    const result = await run(fault, name);
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(strays, []);
    assertNotEquals(fault.calls, 0, "the callback was not called");
    return result;
  } finally {
    globalThis.removeEventListener("unhandledrejection", onStray);
  }
}

/** Registers the tests of a family. */
export function testFamily({ name: family, rows }: Family): void {
  // A callback that never settles leaves behind what waits for it.
  const options = { sanitizeOps: false, sanitizeResources: false };
  for (const row of rows) {
    for (const name of row.of) {
      Deno.test(`callbacks of ${family}: ${name} has one result for each fault`, options, async (test) => {
        for (const fault of faultNames) {
          await test.step(fault, async () => {
            assertEquals(await resultOf(row, name, fault), expected(row, fault));
          });
        }
      });
    }
  }
}
