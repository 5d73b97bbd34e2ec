import { assertRejects } from "@std/assert";
import { assertLinear } from "./growth.ts";
import { isFastRun } from "./runs.ts";

/** Performs a known number of steps, so that the speed of the machine does not matter. */
function steps(count: number): number {
  let sum = 0;
  for (let step = 0; step < count; step++) sum = (sum + step * step) % 1_000_003;
  return sum;
}

function prepare(size: number): number {
  return size;
}

Deno.test("assertLinear() accepts work that grows with its input", async () => {
  await assertLinear((size: number) => steps(size), { size: 1_000_000, prepare });
});

Deno.test("assertLinear() rejects work that grows quadratically with its input", { ignore: isFastRun() }, async () => {
  await assertRejects(
    () => assertLinear((size: number) => steps(size * size), { size: 500, prepare }),
    Error,
    "4 times",
  );
});
