import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/base/errors.ts";
import { NewMemory } from "../../src/sessions/memory.ts";

const empty: ReadonlyMap<string, string> = new Map();
const long = 60_000;

Deno.test("NewMemory() drops the session not used for longest when it is full", async () => {
  const store = NewMemory({ MaxSessions: 3 });
  for (const id of ["a", "b", "c"]) await store.Create(id, empty, long);
  await store.Load("a");
  await store.Create("d", empty, long);
  const found = await Promise.all(["a", "b", "c", "d"].map(async (id) => await store.Load(id) !== null));
  assertEquals(found, [true, false, true, true]);
});

Deno.test("NewMemory() refuses a bound below one", () => {
  for (const MaxSessions of [0, -1, 1.5, NaN]) {
    assertThrows(() => NewMemory({ MaxSessions }), FrameworkError, `Cannot make a memory store of "${MaxSessions}"`);
  }
});

Deno.test("NewMemory() forgets expired sessions while others are used, without a timer", async () => {
  const store = NewMemory();
  for (let i = 0; i < 100; i++) await store.Create(`short ${i}`, empty, 5);
  await store.Create("used", empty, long);
  await new Promise((resolve) => setTimeout(resolve, 10));
  for (let i = 0; i < 60; i++) await store.Load("used");
  assertEquals(await store.Sweep?.(), 0);
});

Deno.test("NewMemory() keeps expired sessions until then, and Sweep() forgets them at once", async () => {
  const store = NewMemory();
  for (let i = 0; i < 100; i++) await store.Create(`short ${i}`, empty, 5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals([await store.Sweep?.(), await store.Sweep?.()], [100, 0]);
});

Deno.test("Commit() to a session that was dropped for others answers false", async () => {
  const store = NewMemory({ MaxSessions: 1 });
  await store.Create("a", empty, long);
  const stored = await store.Load("a");
  await store.Create("b", empty, long);
  assertEquals(await stored?.Commit({ Set: new Map([["x", "1"]]), Add: new Map(), Delete: new Set() }), false);
  assertEquals(await store.Load("a"), null);
});
