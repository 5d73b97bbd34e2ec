import { assert, assertEquals, assertThrows } from "@std/assert";
import { exceptOnLinux, testUnless } from "../../skipped.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { NewMemory } from "../../../src/state/sessions/memory.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { processorTime } from "../../growth.ts";

const empty: ReadonlyMap<string, string> = new Map();
const long = 60_000;

Deno.test("NewMemory() evicts the least recently used session if it is full", async () => {
  const store = NewMemory({ MaxSessions: 3 });
  for (const id of ["a", "b", "c"]) await store.Create(id, empty, long);
  await store.Load("a");
  await store.Create("d", empty, long);
  const found = await Promise.all(["a", "b", "c", "d"].map(async (id) => await store.Load(id) !== null));
  assertEquals(found, [true, false, true, true]);
});

Deno.test("NewMemory() rejects a maximum below one", () => {
  for (const MaxSessions of [0, -1, 1.5, NaN]) {
    assertThrows(
      () => NewMemory({ MaxSessions }),
      FrameworkError,
      `"MaxSessions" of sessions.NewMemory: it must be a positive integer, not ${MaxSessions}`,
    );
  }
});

Deno.test("Commit() returns false for a session that was evicted", async () => {
  const store = NewMemory({ MaxSessions: 1 });
  await store.Create("a", empty, long);
  const stored = await store.Load("a");
  await store.Create("b", empty, long);
  assertEquals(await stored?.Commit({ Set: new Map([["x", "1"]]), Add: new Map(), Delete: new Set() }), false);
  assertEquals(await store.Load("a"), null);
});

const noClock = exceptOnLinux("the CPU time of a process is not measured precisely enough");

testUnless(noClock, "NewMemory() creates and loads sessions in constant time if the store is full", async () => {
  const costs: number[] = [];
  for (const size of [1000, 10_000, 100_000]) {
    const store = NewMemory({ MaxSessions: size });
    for (let i = 0; i < size; i++) store.Create(`old ${i}`, empty, long);
    costs.push(Math.min(...Array.from({ length: 20 }, (_, round) => timed(store, size, round))));
    await store.Close?.();
  }
  const [small = 0, middle = 0, large = 0] = costs;
  // A linear search would take 10 and 100 times as long. The tolerance is for CPU caches.
  assert(middle < 8 * small && large < 15 * small, `${costs.map((ms) => ms.toFixed(2))} ms`);
});

/** Returns the time for 500 new sessions and 500 visits in a full store, in milliseconds. */
function timed(store: Store, size: number, round: number): number {
  const start = processorTime();
  for (let i = 0; i < 500; i++) {
    store.Create(`new ${round} ${i}`, empty, long);
    store.Load(`old ${size - 1 - i % 500}`);
  }
  return processorTime() - start;
}
