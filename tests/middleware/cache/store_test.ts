import * as cache from "@fw/web/middleware/cache";
import { assertEquals } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { testEach } from "../../state/store/stores.ts";

const response: cache.CachedResponse = {
  Status: 200,
  Headers: [["content-type", "text/plain"], ["x-ümlaut", "é"]],
  Body: new Uint8Array([0, 1, 127, 128, 255]),
  Stored: 1_700_000_000_000,
  Fresh: 60_000,
  Vary: [["accept-language", "de"]],
  Public: true,
};

/** Checks the contract for all cache stores. */
async function contract(store: cache.Store): Promise<void> {
  assertEquals(await store.Get("absent"), undefined);
  await store.Set("a key with ünusual / letters\n", response, 60_000);
  assertEquals(await store.Get("a key with ünusual / letters\n"), response);
  await store.Set("other", { ...response, Status: 404, Body: new Uint8Array() }, 60_000);
  await store.Set("other", { ...response, Status: 410, Body: new Uint8Array() }, 60_000);
  assertEquals((await store.Get("other"))?.Status, 410);
  await store.Delete("other");
  await store.Delete("other");
  assertEquals(await store.Get("other"), undefined);
  const large = new Uint8Array(300_000).map((_, at) => at * 7);
  await store.Set("large", { ...response, Body: large }, 60_000);
  assertEquals((await store.Get("large"))?.Body, large);
}

testEach("cache.FromStore() satisfies the store contract", (store) => contract(cache.FromStore(store)));

testEach("cache.FromStore() treats unreadable entries as missing", async (store) => {
  await store.Set("cache:broken", "{", 60_000);
  assertEquals(await cache.FromStore(store).Get("broken"), undefined);
});

Deno.test("cache.NewMemory() satisfies the store contract", () => contract(cache.NewMemory()));

Deno.test("cache.NewMemory() removes expired entries", async () => {
  using time = new PassingTime();
  const store = cache.NewMemory();
  await store.Set("a", response, 1000);
  time.tick(999);
  assertEquals(await store.Get("a"), response);
  time.tick(1);
  assertEquals(await store.Get("a"), undefined);
});
