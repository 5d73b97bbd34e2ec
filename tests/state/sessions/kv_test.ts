import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { type KV, New } from "../../../src/state/sessions/kv.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { changes } from "./contract.ts";

// Only available with --unstable-kv.
const openKv = (Deno as unknown as { openKv?: (path: string) => Promise<KV & Disposable> }).openKv;
const long = 60_000;

function testKV(name: string, work: (kv: KV) => Promise<void>): void {
  Deno.test({
    name: openKv === undefined ? `${name} (ignored: Deno KV needs --unstable-kv)` : name,
    ignore: openKv === undefined,
    fn: async () => {
      using kv = await openKv?.(":memory:");
      if (kv !== undefined) await work(kv);
    },
  });
}

testKV("Close() of a manager leaves the database open, because the application has opened it", async (kv) => {
  const store = New(kv);
  await sessions.New({ Store: store }).Close();
  assertEquals(await store.Create("a", new Map(), long), true);
  assertEquals((await New(kv).Load("a"))?.Slots.size, 0);
});

testKV("Commit() of two KV stores on one database loses nothing, as of two processes", async (kv) => {
  const stores = [New(kv), New(kv)];
  await stores[0]?.Create("a", new Map(), long);
  const all = await Promise.all(Array.from({ length: 40 }, (_, i) => stores[i % 2]?.Load("a")));
  await Promise.all(all.map((it, i) => it?.Commit(changes({ Add: { n: 1 }, Set: { [`slot ${i}`]: "1" } }))));
  const slots = (await stores[1]?.Load("a"))?.Slots;
  assertEquals([slots?.get("n"), slots?.size], ["40", 41]);
});

testKV("Take() of two KV stores on one database gives a message to exactly one", async (kv) => {
  const stores = [New(kv), New(kv)];
  await stores[0]?.Create("a", new Map([["m", "1"]]), long);
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => stores[i % 2]?.Load("a")));
  const taken = await Promise.all(all.map((it) => it?.Take("m")));
  assertEquals(taken.filter((it) => it !== null), ["1"]);
});

testKV("Commit() of what is too large for KV fails with fw's own error, and changes nothing", async (kv) => {
  const store = New(kv);
  await store.Create("a", new Map([["x", "1"]]), long);
  const error = await assertRejects(
    async () => await (await store.Load("a"))?.Commit(changes({ Set: { x: "y".repeat(70_000) } })),
    FrameworkError,
    "Cannot write a session to Deno KV",
  );
  assertEquals(error.Code, "FW_SESSION");
  assertEquals((await store.Load("a"))?.Slots.get("x"), "1");
});

testKV("New() of the KV store keeps two prefixes apart", async (kv) => {
  const [one, two] = [New(kv, { Prefix: "one" }), New(kv, { Prefix: "two" })];
  await one.Create("a", new Map(), long);
  assertEquals(await two.Load("a"), null);
});

testKV("New() of the KV store rejects a database that was not awaited, and other values", async (kv) => {
  const line = "pass a database that you open with `await Deno.openKv()`";
  for (
    const [given, state] of [
      [Promise.resolve(kv), 'the database is a promise, which needs await, and has no method "get"'],
      [undefined, 'the database is of type "undefined" and has no method "get"'],
      [{ get() {} }, 'the database has no method "list"'],
    ] as const
  ) {
    const message = `Cannot create the KV session store: ${state}; ${line}`;
    assertThrows(() => New(given as unknown as KV), FrameworkError, message);
  }
  await kv.get(["still", "open"]);
});
