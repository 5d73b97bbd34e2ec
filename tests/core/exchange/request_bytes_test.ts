import { assert } from "@std/assert";
import { bytesPerRequest } from "../../bench/allocations.ts";

/**
 * The limits, which leave less than the eight bytes of a field. If one is exceeded, find the new object or field, and
 * create it only for the requests that need it.
 */
const limits: Readonly<Record<string, number>> = {
  "/plain": 1136,
  "/json": 1360,
  "/parameter/7": 1335,
  "/async": 2256,
  "/controller/7": 1856,
  "/dependency/7": 3264,
  "/session": 5120,
};

Deno.test("Application.fetch() allocates a limited number of bytes for a request", async (t) => {
  const bytes = await bytesPerRequest();
  for (const [path, limit] of Object.entries(limits)) {
    await t.step(path, () => assert((bytes[path] ?? NaN) <= limit, `${bytes[path]} bytes, and the limit is ${limit}`));
  }
});
