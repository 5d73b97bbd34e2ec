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

/** Callbacks that have no row, with the reason. */
export type Exempt = Readonly<Record<string, string>>;

/** The rows of one family of callbacks. */
export interface Family {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly exempt?: Exempt;
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

/** Prints all results of a family that differ from the table. */
export async function explore(family: Family, filter = ""): Promise<void> {
  for (const row of family.rows) {
    for (const name of row.of.filter((each) => each.includes(filter))) {
      const cells: string[] = [];
      for (const fault of faultNames) {
        const result = await resultOf(row, name, fault).catch((error) => `FAILED ${error.message?.split("\n")[0]}`);
        if (result !== expected(row, fault)) cells.push(`  ${fault}: ${result} (not ${expected(row, fault)})`);
      }
      // deno-lint-ignore no-console -- prints the results when run as a program
      console.log([`${cells.length === 0 ? "ok" : "NOT"} ${name}`, ...cells].join("\n"));
    }
  }
}
