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

/** The number of tests whose cells run at the same time. Most of the time of a cell is spent waiting for time limits. */
const atOnce = 8;

/** The cells of one callback. */
class Cells {
  readonly #row: Row;
  readonly #name: string;
  #results: Map<FaultName, Promise<string>> | undefined = undefined;

  constructor(row: Row, name: string) {
    this.#row = row;
    this.#name = name;
  }

  /** Starts the cells, one after the other. That of a callback that never settles runs at the same time. */
  start(): Map<FaultName, Promise<string>> {
    if (this.#results !== undefined) return this.#results;
    this.#results = new Map();
    let last: Promise<unknown> = Promise.resolve();
    for (const fault of faultNames) {
      const run = () => resultOf(this.#row, this.#name, fault);
      const result = fault === "never" ? run() : last.then(run);
      this.#results.set(fault, result);
      // The test that awaits the result reports the failure. It may not have begun yet.
      const settled = result.catch(() => {});
      if (fault !== "never") last = settled;
    }
    return this.#results;
  }
}

/** Registers the tests of a family. */
export function testFamily({ name: family, rows }: Family): void {
  // A callback that never settles leaves behind what waits for it.
  const options = { sanitizeOps: false, sanitizeResources: false };
  const cells = rows.flatMap((row) => row.of.map((name) => ({ row, name, cells: new Cells(row, name) })));
  for (const [index, { row, name }] of cells.entries()) {
    Deno.test(`callbacks of ${family}: ${name} has one result for each fault`, options, async (test) => {
      const [results] = cells.slice(index, index + atOnce).map((each) => each.cells.start());
      for (const fault of faultNames) {
        await test.step(fault, async () => {
          assertEquals(await results?.get(fault), expected(row, fault));
        });
      }
    });
  }
}
