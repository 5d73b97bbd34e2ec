import { fromFileUrl } from "@std/path";
import { assert, assertEquals } from "@std/assert";
import type { Rate } from "../../../src/state/store/rate.ts";
import type { Store } from "../../../src/state/store/store.ts";
import { inTime } from "../../in_time.ts";
import { openStore } from "./place.ts";
import { testEach } from "./stores.ts";

/** A lifetime that is longer than any test, in milliseconds. */
const long = 60_000;
/** A lifetime that is short enough to wait for, in milliseconds. */
const short = 60;

/** Waits until a store has removed an expired key. The store uses its own clock, which tests cannot change. */
async function untilGone(store: Store, key: string): Promise<void> {
  while (await store.Get(key) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
}

testEach("Store.Get() returns null for a missing key", async (store) => {
  assertEquals(await store.Get("absent"), null);
});

testEach("Store.Set() replaces a string", async (store) => {
  await store.Set("key", "one", long);
  await store.Set("key", "two \u{1f42f} \0 'x'", long);
  assertEquals(await store.Get("key"), "two \u{1f42f} \0 'x'");
});

testEach("Store.Set() stores a string for its lifetime, and Create() succeeds afterwards", async (store) => {
  await store.Set("key", "one", short);
  await untilGone(store, "key");
  assertEquals(await store.Create("key", "two", long), true);
  assertEquals(await store.Get("key"), "two");
});

testEach("Store.Create() succeeds for exactly one of 200 parallel callers", async (store) => {
  const made = await Promise.all(Array.from({ length: 200 }, (_, i) => store.Create("once", String(i), long)));
  assertEquals(made.filter((isFirst) => isFirst).length, 1);
  assertEquals(await store.Get("once"), String(made.indexOf(true)));
});

testEach("Store.Delete() removes a key and reports whether it existed", async (store) => {
  await store.Set("key", "text", long);
  assertEquals([await store.Delete("key"), await store.Delete("key")], [true, false]);
  assertEquals(await store.Get("key"), null);
});

testEach("Store.Increment() loses none of 200 parallel calls", async (store) => {
  const sums = await Promise.all(Array.from({ length: 200 }, () => store.Increment("n", 1, long)));
  assertEquals(new Set(sums).size, 200);
  assertEquals(await store.Increment("n", -200, long), 0);
  assertEquals(await store.Increment("n", 0.5, long), 0.5);
});

testEach("Store.Increment() counts within the lifetime of its first call", async (store) => {
  const key = await inTime(200, async () => {
    const key = crypto.randomUUID();
    assertEquals([await store.Increment(key, 1, 200), await store.Increment(key, 1, long)], [1, 2]);
    return key;
  });
  await untilGone(store, key);
  assertEquals(await store.Increment(key, 1, long), 1);
});

testEach("Store.Increment() treats a string that is not a number as zero", async (store) => {
  await store.Set("n", "many", long);
  assertEquals(await store.Increment("n", 2, long), 2);
});

testEach("Store.Take() allows exactly a burst of 200 parallel calls, and returns the remaining ones", async (store) => {
  const rate = { Limit: 50, Period: 3_600_000 };
  const taken = await Promise.all(Array.from({ length: 200 }, () => store.Take("key", rate)));
  assertEquals(taken.filter((it) => it.Allowed).length, 50);
  assertEquals(new Set(taken.filter((it) => it.Allowed).map((it) => it.Remaining)).size, 50);
  const refused = await store.Take("key", rate);
  assertEquals([refused.Allowed, refused.Remaining], [false, 0]);
  assert(refused.RetryAfter > 60_000 && refused.RetryAfter <= 72_000, `${refused.RetryAfter}`);
  assert(refused.Reset > 3_500_000 && refused.Reset <= 3_600_000, `${refused.Reset}`);
});

testEach("Store.Take() separates keys, which are case-sensitive", async (store) => {
  const rate = { Limit: 1, Period: long };
  const keys = ["a", "A", "a ", "", "a\0", "x".repeat(10_000), `${"x".repeat(9999)}y`];
  for (const key of keys) assertEquals((await store.Take(key, rate)).Allowed, true, JSON.stringify(key.slice(0, 9)));
  for (const key of keys) assertEquals((await store.Take(key, rate)).Allowed, false, JSON.stringify(key.slice(0, 9)));
});

testEach("Store.Take() refills tokens one at a time", async (store) => {
  const [rate, refill] = [{ Limit: 4, Period: 2000 }, 500];
  const { key, begin, RetryAfter } = await inTime(refill, async () => {
    const [key, begin] = [crypto.randomUUID(), performance.now()];
    for (let i = 0; i < 4; i++) assertEquals((await store.Take(key, rate)).Allowed, true);
    const { Allowed, RetryAfter } = await store.Take(key, rate);
    assertEquals(Allowed, false);
    assert(RetryAfter > 0 && RetryAfter <= refill, `${RetryAfter}`);
    return { key, begin, RetryAfter };
  });
  await new Promise((resolve) => setTimeout(resolve, RetryAfter + 5));
  const again = await store.Take(key, rate);
  assertEquals(again.Allowed, true);
  const refilled = Math.floor((performance.now() - begin) / refill);
  assert(again.Remaining < refilled, `${again.Remaining} of ${refilled}`);
});

testEach("Store.Take() with a reduced burst is not rejected for longer than that burst", async (store) => {
  const before = { Limit: 1000, Period: 1_000_000_000 };
  for (let i = 0; i < 20; i++) await store.Take("key", before);
  const { Allowed, RetryAfter } = await store.Take("key", { Limit: 2, Period: 2000 });
  assertEquals(Allowed, false);
  assert(RetryAfter <= 1000, `${RetryAfter}`);
});

testEach("Store.Take() with a burst of one spaces requests evenly", async (store) => {
  const rate = { Limit: 1000, Period: 3_600_000, Burst: 1 };
  assertEquals((await store.Take("key", rate)).Allowed, true);
  const { Allowed, RetryAfter } = await store.Take("key", rate);
  assertEquals(Allowed, false);
  assert(RetryAfter > 2000 && RetryAfter <= 3600, `${RetryAfter}`);
});

testEach("Store.Take() in two processes and this one allows a burst exactly", async (store, place) => {
  const rate = { Limit: 50, Period: 3_600_000 };
  const own = Array.from({ length: 100 }, () => store.Take("key", rate));
  const others = [takeElsewhere(place), takeElsewhere(place)];
  const allowed = (await Promise.all(own)).filter((it) => it.Allowed).length;
  const sums = await Promise.all(others);
  assertEquals(allowed + sums.reduce((sum, n) => sum + n, 0), 50);
  assertEquals((await store.Take("key", rate)).Allowed, false);
}, ["sqlite", "redis"]);

/** Makes 100 concurrent calls from another process and returns the number of allowed ones. */
async function takeElsewhere(place: object): Promise<number> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", fromFileUrl(new URL("./taker.ts", import.meta.url)), JSON.stringify(place)],
    stderr: "inherit",
  }).output();
  assertEquals(code, 0);
  return Number(new TextDecoder().decode(stdout));
}

testEach("Store: another handle on the same location sees stored values", async (store, place) => {
  const other = openStore(place);
  try {
    await store.Set("key", "text", long);
    assertEquals(await other.Get("key"), "text");
    assertEquals(await other.Create("key", "other", long), false);
  } finally {
    await other.Close?.();
  }
}, ["sqlite", "redis"]);

testEach("Store.Take() applies a raised limit immediately", async (store) => {
  const strict = { Limit: 1, Period: 3_600_000 };
  assertEquals((await store.Take("key", strict)).Allowed, true);
  assertEquals((await store.Take("key", strict)).Allowed, false);
  await untilAllowed(store, "key", { Limit: 100, Period: 1000, Burst: 2 });
});

testEach("Store.Take() does not wait longer than its rate if the clock is set back", async (store) => {
  // This is the state of the store after the clock was set back by two hours.
  await store.Set("key", String((Date.now() + 7_200_000) * 1000), 7_200_000);
  await untilAllowed(store, "key", { Limit: 100, Period: 1000, Burst: 2 });
}, ["sqlite", "redis"]);

/** Sends requests until one is allowed, and waits each time only as long as the store requires. */
async function untilAllowed(store: Store, key: string, rate: Rate): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const taken = await store.Take(key, rate);
    if (taken.Allowed) return;
    assert(taken.RetryAfter <= rate.Period, `${taken.RetryAfter}`);
    await new Promise((resolve) => setTimeout(resolve, taken.RetryAfter + 1));
  }
  assert(false, "still refused");
}
