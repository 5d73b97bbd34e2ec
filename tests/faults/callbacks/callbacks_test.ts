import { assertEquals } from "@std/assert";
import { faultNames } from "./faults.ts";
import { family as jobs } from "./jobs_rows.ts";
import { expected, type Family, resultOf } from "./table.ts";

const families: readonly Family[] = [jobs];

for (const { name: family, rows } of families) {
  for (const row of rows) {
    for (const name of row.of) {
      // A callback that never settles leaves behind what waits for it.
      const options = { sanitizeOps: false, sanitizeResources: false };
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
