import { assert, assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { NewMemory } from "../../../src/state/store/memory.ts";
import { processorTime } from "../../growth.ts";

const long = 60_000;
const rate = { Limit: 1, Period: long };

Deno.test("NewMemory() limits the number of keys and keeps the ones in use", () => {
  const store = NewMemory({ MaxKeys: 100 });
  store.Take("busy", rate);
  for (let i = 0; i < 10_000; i++) {
    store.Take(`flood${i}`, rate);
    assertEquals(store.Get("busy") !== null, true, `after ${i} other keys`);
  }
  const kept = Array.from({ length: 10_000 }, (_, i) => store.Get(`flood${i}`)).filter((text) => text !== null);
  assertEquals(kept.length, 99);
});

Deno.test("NewMemory() with WhenFull reject fails instead of evicting keys", () => {
  const store = NewMemory({ MaxKeys: 10, WhenFull: "refuse" });
  for (let i = 0; i < 10; i++) store.Set(`blocked${i}`, "1", long);
  const error = assertThrows(
    () => store.Set("another", "1", long),
    FrameworkError,
    'the memory store is full ("10" keys)',
  );
  assertEquals(error.Code, "FW_STORE");
  store.Set("blocked0", "2", long);
  for (let i = 0; i < 10; i++) assert(store.Get(`blocked${i}`) !== null);
  store.Delete("blocked3");
  store.Set("another", "1", long);
});

Deno.test("NewMemory() with WhenFull reject removes expired keys first", async () => {
  const store = NewMemory({ MaxKeys: 100, WhenFull: "refuse" });
  for (let i = 0; i < 100; i++) store.Set(`old${i}`, "1", 5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  for (let i = 0; i < 100; i++) store.Set(`new${i}`, "1", long);
  assertEquals(store.Get("new0"), "1");
});

Deno.test("NewMemory() does not retain the string that a key or value is a slice of", () => {
  const store = NewMemory();
  const before = memoryInUse();
  for (let i = 0; i < 2000; i++) {
    const header = `${"x".repeat(50_000)}${String(i).padStart(20, "0")}`;
    store.Set(header.slice(-20), header.slice(-20), long);
    store.Take(`${header.slice(-20)}t`, rate);
  }
  const grown = memoryInUse() - before;
  assert(grown < 30_000_000, `${grown} bytes for 4000 keys`);
});

function memoryInUse(): number {
  return Deno.memoryUsage().heapUsed;
}

Deno.test("NewMemory() adds a key to a full store in constant time", () => {
  const [small, large] = [1_000, 100_000].map(timeWhenFull) as [number, number];
  assert(large < 8 * small, `${large} ms against ${small} ms`);
});

/** Returns the time for adding 20,000 keys to a full store. */
function timeWhenFull(size: number): number {
  const store = NewMemory({ MaxKeys: size });
  for (let i = 0; i < size; i++) store.Take(`old${i}`, rate);
  const times = Array.from({ length: 5 }, (_, run) => {
    const started = processorTime();
    for (let i = 0; i < 20_000; i++) store.Take(`new${run}:${i}`, rate);
    return processorTime() - started;
  });
  return Math.min(...times);
}

for (const MaxKeys of [0, -1, 1.5, NaN]) {
  Deno.test(`NewMemory() rejects ${MaxKeys} keys`, () => {
    assertThrows(() => NewMemory({ MaxKeys }), FrameworkError, "it must be a positive integer");
  });
}
