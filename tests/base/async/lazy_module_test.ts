import { assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import { LazyModule, loadLazyModules } from "../../../src/base/async/lazy_module.ts";

Deno.test("LazyModule.get() loads once and does not return a promise afterwards", async () => {
  let loads = 0;
  const module = { name: "lazy" };
  const lazy = new LazyModule(() => {
    loads++;
    return Promise.resolve(module);
  });
  const first = lazy.get();
  assertInstanceOf(first, Promise);
  assertStrictEquals(await first, module);
  assertStrictEquals(lazy.get(), module);
  assertEquals(loads, 1);
});

Deno.test("LazyModule.get() retries after a failure", async () => {
  let loads = 0;
  const lazy = new LazyModule(() =>
    ++loads === 1 ? Promise.reject(new Error("too many open files")) : Promise.resolve(7)
  );
  assertEquals(await Promise.resolve(lazy.get()).catch(() => "failed"), "failed");
  assertEquals(await lazy.get(), 7);
});

Deno.test("loadLazyModules() loads all modules that are not loaded yet", async () => {
  let loads = 0;
  const lazy = new LazyModule(() => Promise.resolve(++loads));
  await loadLazyModules();
  await loadLazyModules();
  assertEquals(lazy.get(), 1);
});
