import { assert } from "@std/assert";
import { cells } from "./table.ts";

Deno.test("The table of doors and properties has no empty cell", () => {
  for (const { property, door, check, reason } of cells()) {
    assert(check !== undefined || (reason ?? "").length > 20, `${door} × ${property} has neither a check nor a reason`);
  }
});

for (const { property, door, check } of cells()) {
  if (check === undefined) continue;
  Deno.test(`${door}: ${property}`, () => settled(check()));
}

/** Waits for a check, and fails instead of blocking the suite if a call never ends. */
async function settled(check: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The call has not ended")), 30_000);
  try {
    await Promise.race([check, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
