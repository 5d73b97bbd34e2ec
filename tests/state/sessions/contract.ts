/**
 * The contract for all session stores.
 *
 * @module
 */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Changes, Store, Stored } from "../../../src/state/sessions/store.ts";
import { inTime } from "../../in_time.ts";

/** A behavior that every store must have. The name is a sentence. */
export interface Behavior {
  readonly name: string;
  readonly run: (store: Store) => Promise<void>;
}

/** A lifetime that is longer than any test, in milliseconds. */
const long = 60_000;
/** A lifetime that is short enough to wait for, in milliseconds. */
const short = 120;

const behaviors: Behavior[] = [];

/** Every behavior, in order. */
export const contract: readonly Behavior[] = behaviors;

function behavior(name: string, run: (store: Store) => Promise<void>): void {
  behaviors.push({ name, run });
}

/** Fills in omitted changes. */
export function changes(
  parts: {
    Set?: Record<string, string>;
    Add?: Record<string, number>;
    Delete?: string[];
    Lifetime?: number;
    ID?: string;
  },
): Changes {
  const { Set: set = {}, Add: add = {}, Delete: remove = [], ...rest } = parts;
  return {
    Set: new Map(Object.entries(set)),
    Add: new Map(Object.entries(add)),
    Delete: new Set(remove),
    ...rest,
  };
}

function newID(): string {
  return crypto.randomUUID();
}

async function create(store: Store, slots: Record<string, string> = {}, lifetime = long): Promise<string> {
  const id = newID();
  assert(await store.Create(id, new Map(Object.entries(slots)), lifetime));
  return id;
}

async function load(store: Store, id: string): Promise<Stored> {
  const stored = await store.Load(id);
  assert(stored !== null, "the session is gone");
  return stored;
}

async function slots(store: Store, id: string): Promise<Record<string, string> | null> {
  const stored = await store.Load(id);
  return stored && Object.fromEntries(stored.Slots);
}

/** Creates a session with a short lifetime, and completes the steps before it is over. */
function whileAlive<T>(store: Store, data: Record<string, string>, steps: (id: string) => Promise<T>): Promise<T> {
  return inTime(short, async () => await steps(await create(store, data, short)));
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function times<T>(n: number, work: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => work(i));
}

// Finding and creating

behavior("Load() returns null for an ID that was never created", async (store) => {
  assertEquals(await store.Load(newID()), null);
});

behavior("Load() returns null for the empty ID", async (store) => {
  assertEquals(await store.Load(""), null);
});

behavior("Load() does not create the session that it did not find", async (store) => {
  const id = newID();
  await store.Load(id);
  assertEquals(await store.Load(id), null);
  assert(await store.Create(id, new Map(), long));
});

behavior("Load() finds a session without slots", async (store) => {
  assertEquals(await slots(store, await create(store)), {});
});

behavior("Load() returns the slots that Create() was given", async (store) => {
  assertEquals(await slots(store, await create(store, { a: "1", b: '"two"' })), { a: "1", b: '"two"' });
});

behavior("Load() returns slots of any name", async (store) => {
  const names = [
    "a\0b",
    "\x01a",
    "\x01",
    "\0\x01b",
    "a",
    "",
    "*",
    "$",
    "ελληνικά",
    "\u{1F511}",
    "__proto__",
    " ",
    "a:b",
    "'",
    '"',
  ];
  const id = newID();
  await store.Create(id, new Map(names.map((name) => [name, "1"])), long);
  assertEquals([...(await load(store, id)).Slots.keys()].sort(), names.toSorted());
});

behavior("Load() distinguishes IDs by case", async (store) => {
  const id = newID().toLowerCase();
  await store.Create(id, new Map(), long);
  assertEquals(await store.Load(id.toUpperCase()), null);
});

behavior("Load() does not take a part of an ID, or an ID with more behind it, for the ID", async (store) => {
  const id = await create(store);
  assertEquals(await store.Load(id.slice(0, -1)), null);
  assertEquals(await store.Load(`${id}0`), null);
  assertEquals(await store.Load(`${id} `), null);
});

behavior("Load() takes patterns, quotes and separators for plain characters", async (store) => {
  await create(store);
  for (const id of ["*", "%", "_", "?", "' OR 1=1 --", "a:b", "[a-z]*", "\\", "../x"]) {
    assertEquals(await store.Load(id), null);
  }
});

behavior("Load() does not mix the slots of two sessions", async (store) => {
  const [one, two] = [await create(store, { a: "1" }), await create(store, { a: "2" })];
  assertEquals([await slots(store, one), await slots(store, two)], [{ a: "1" }, { a: "2" }]);
});

behavior("Load() returns the remaining lifetime of the session", async (store) => {
  const { Remaining } = await load(store, await create(store, {}, long));
  assert(Remaining > long - 5000 && Remaining <= long, String(Remaining));
});

behavior("Load() returns slots that later commits do not change", async (store) => {
  const id = await create(store, { a: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ Set: { a: "2", b: "3" } }));
  assertEquals(Object.fromEntries(early.Slots), { a: "1" });
});

behavior("Create() keeps its own copy of the slots", async (store) => {
  const [id, given] = [newID(), new Map([["a", "1"]])];
  await store.Create(id, given, long);
  given.set("a", "2");
  assertEquals(await slots(store, id), { a: "1" });
});

behavior("Create() rejects an ID in use and leaves its session alone", async (store) => {
  const id = await create(store, { a: "1" });
  assertEquals(await store.Create(id, new Map([["a", "2"]]), long), false);
  assertEquals(await slots(store, id), { a: "1" });
});

behavior("Create() lets one of many at the same time have an ID", async (store) => {
  const id = newID();
  const won = await Promise.all(times(20, (i) => store.Create(id, new Map([["a", String(i)]]), long)));
  assertEquals(won.filter((it) => it).length, 1);
  assertEquals(await slots(store, id), { a: String(won.indexOf(true)) });
});

behavior("Create() can reuse the ID of an expired session without its data", async (store) => {
  const id = await create(store, { old: "1" }, short);
  await wait(short + 20);
  assert(await store.Create(id, new Map([["new", "1"]]), long));
  assertEquals(await slots(store, id), { new: "1" });
});

behavior("Create() can reuse the ID of a destroyed session without its data", async (store) => {
  const id = await create(store, { old: "1" });
  await (await load(store, id)).Destroy();
  assert(await store.Create(id, new Map(), long));
  assertEquals(await slots(store, id), {});
});

// Slot values

behavior("Create() stores strings of every script, quote and control character", async (store) => {
  const text = JSON.stringify("ελληνικά 日本語 \u{1F511} \" ' \\ \u0000 \r\n \u2028");
  assertEquals(await slots(store, await create(store, { a: text })), { a: text });
});

behavior("Create() keeps slot names with any Unicode characters, quotes and control characters", async (store) => {
  const given = { "": "1", "日本語": "2", "a'b\"c": "3", "a b\r\n": "4", "id": "5", ":": "6", "\u{1F511}": "7" };
  assertEquals(await slots(store, await create(store, given)), given);
});

behavior("Create() keeps a slot named like a member of every object", async (store) => {
  const id = newID();
  const given = new Map([["__proto__", "1"], ["constructor", "2"], ["toString", "3"]]);
  await store.Create(id, given, long);
  assertEquals((await load(store, id)).Slots, given);
});

behavior("Create() keeps the empty text", async (store) => {
  assertEquals(await slots(store, await create(store, { a: "" })), { a: "" });
});

behavior("Create() stores a string of 50,000 characters", async (store) => {
  const text = "x".repeat(50_000);
  assertEquals((await slots(store, await create(store, { a: text })))?.a, text);
});

behavior("Create() keeps 500 slots", async (store) => {
  const given = Object.fromEntries(times(500, (i) => [`slot ${i}`, String(i)]));
  assertEquals(await slots(store, await create(store, given)), given);
});

// Commits

behavior("Commit() of nothing changes nothing", async (store) => {
  const id = await create(store, { a: "1" });
  assertEquals(await (await load(store, id)).Commit(changes({})), true);
  assertEquals(await slots(store, id), { a: "1" });
});

behavior("Commit() sets new slots and replaces old ones", async (store) => {
  const id = await create(store, { a: "1", b: "2" });
  assert(await (await load(store, id)).Commit(changes({ Set: { b: "3", c: "4" } })));
  assertEquals(await slots(store, id), { a: "1", b: "3", c: "4" });
});

behavior("Commit() deletes slots and ignores missing ones", async (store) => {
  const id = await create(store, { a: "1", b: "2" });
  assert(await (await load(store, id)).Commit(changes({ Delete: ["a", "never"] })));
  assertEquals(await slots(store, id), { b: "2" });
});

behavior("Commit() sets, adds, deletes, renews and renames in one call", async (store) => {
  const [id, next] = [await create(store, { a: "1", b: "2", c: "3" }, long / 2), newID()];
  const done = await (await load(store, id)).Commit(
    changes({ Set: { a: "9" }, Add: { b: 5 }, Delete: ["c"], Lifetime: long, ID: next }),
  );
  assert(done);
  assertEquals(await slots(store, next), { a: "9", b: "7" });
  assert((await load(store, next)).Remaining > long / 2);
});

behavior("Commit() keeps 500 new slots", async (store) => {
  const id = await create(store);
  const given = Object.fromEntries(times(500, (i) => [`slot ${i}`, String(i)]));
  await (await load(store, id)).Commit(changes({ Set: given }));
  assertEquals(await slots(store, id), given);
});

behavior("Commit() leaves the lifetime alone unless specified", async (store) => {
  const id = await whileAlive(store, {}, async (id) => {
    await (await load(store, id)).Commit(changes({ Set: { a: "1" } }));
    return id;
  });
  await wait(short + 20);
  assertEquals(await store.Load(id), null);
});

behavior("Commit() leaves other sessions alone", async (store) => {
  const [one, two] = [await create(store, { a: "1" }), await create(store, { a: "1" })];
  await (await load(store, one)).Commit(changes({ Set: { a: "2" }, Add: { n: 1 }, ID: newID() }));
  assertEquals(await slots(store, two), { a: "1" });
});

behavior("Commit() can be called again by the same writer", async (store) => {
  const id = await create(store);
  const stored = await load(store, id);
  assert(await stored.Commit(changes({ Set: { a: "1" } })));
  assert(await stored.Commit(changes({ Set: { b: "2" } })));
  assertEquals(await slots(store, id), { a: "1", b: "2" });
});

// Concurrency

behavior("Commit() by 200 at the same time on different slots keeps all 200", async (store) => {
  const id = await create(store);
  const all = await Promise.all(times(200, () => load(store, id)));
  await Promise.all(all.map((stored, i) => stored.Commit(changes({ Set: { [`slot ${i}`]: String(i) } }))));
  assertEquals(await slots(store, id), Object.fromEntries(times(200, (i) => [`slot ${i}`, String(i)])));
});

behavior("Commit() by 200 at the same time that add one end at 200", async (store) => {
  const id = await create(store);
  const all = await Promise.all(times(200, () => load(store, id)));
  await Promise.all(all.map((stored) => stored.Commit(changes({ Add: { n: 1 } }))));
  assertEquals(await slots(store, id), { n: "200" });
});

behavior("Commit() applies the last of two conflicting changes to a slot", async (store) => {
  const id = await create(store, { a: "1" });
  const [one, two] = [await load(store, id), await load(store, id)];
  await one.Commit(changes({ Set: { a: "2" } }));
  await two.Commit(changes({ Delete: ["a"] }));
  assertEquals(await slots(store, id), {});
});

behavior("Commit() of a deletion does not take slots that came after loading", async (store) => {
  const id = await create(store, { a: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ Set: { b: "2" } }));
  await early.Commit(changes({ Delete: ["a"] }));
  assertEquals(await slots(store, id), { b: "2" });
});

behavior("Commit() is atomic", async (store) => {
  const id = await create(store, { a: "0", b: "0" });
  const writing = (async () => {
    for (const n of times(30, String)) {
      await (await load(store, id)).Commit(changes({ Set: { a: n, b: n } }));
      await wait(0);
    }
  })();
  for (let i = 0; i < 60; i++) {
    const { Slots } = await load(store, id);
    assertEquals(Slots.get("a"), Slots.get("b"));
    await wait(0);
  }
  await writing;
});

// Increments

behavior("Commit() adds to an empty slot as to zero", async (store) => {
  const id = await create(store);
  await (await load(store, id)).Commit(changes({ Add: { n: 3 } }));
  assertEquals(await slots(store, id), { n: "3" });
});

behavior("Commit() adds negative numbers", async (store) => {
  const id = await create(store, { n: "3" });
  await (await load(store, id)).Commit(changes({ Add: { n: -5 } }));
  assertEquals(await slots(store, id), { n: "-2" });
});

behavior("Commit() treats a slot without a number as zero when adding", async (store) => {
  const id = await create(store, { a: '"5"', b: "null", c: "true", d: "[1]", e: '{"n":1}', f: "" });
  await (await load(store, id)).Commit(changes({ Add: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 } }));
  assertEquals(await slots(store, id), { a: "1", b: "1", c: "1", d: "1", e: "1", f: "1" });
});

behavior("Commit() adds exactly up to the largest safe integer", async (store) => {
  const id = await create(store, { n: String(Number.MAX_SAFE_INTEGER - 1) });
  await (await load(store, id)).Commit(changes({ Add: { n: 1 } }));
  assertEquals(await slots(store, id), { n: String(Number.MAX_SAFE_INTEGER) });
});

behavior("Commit() adds to fractions and exponents as JavaScript does", async (store) => {
  const id = await create(store, { a: "0.1", b: "1e+21", c: "-2.5e-3" });
  await (await load(store, id)).Commit(changes({ Add: { a: 1, b: 1, c: 1 } }));
  const now = await slots(store, id);
  assertEquals([now?.a, now?.b, now?.c].map(Number), [1.1, 1e21 + 1, 1 - 2.5e-3]);
});

behavior("Commit() adds to concurrent changes of a slot", async (store) => {
  const id = await create(store, { n: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ Set: { n: "100" } }));
  await early.Commit(changes({ Add: { n: 1 } }));
  assertEquals(await slots(store, id), { n: "101" });
});

// ID replacement

behavior("Commit() with a new ID keeps the slots under it and forgets the old ID", async (store) => {
  const [id, next] = [await create(store, { a: "1" }), newID()];
  assert(await (await load(store, id)).Commit(changes({ ID: next })));
  assertEquals([await slots(store, id), await slots(store, next)], [null, { a: "1" }]);
});

behavior("Commit() with a new ID keeps the time that is left", async (store) => {
  const next = await whileAlive(store, {}, async (id) => {
    const next = newID();
    assert(await (await load(store, id)).Commit(changes({ ID: next })));
    return next;
  });
  await wait(short + 20);
  assertEquals(await store.Load(next), null);
});

behavior("Commit() loaded under the old ID loses nothing when the ID has been replaced", async (store) => {
  const [id, next] = [await create(store), newID()];
  const all = await Promise.all(times(20, () => load(store, id)));
  await (await load(store, id)).Commit(changes({ ID: next }));
  const kept = await Promise.all(all.map((it, i) => it.Commit(changes({ Set: { [String(i)]: "x" }, Add: { n: 1 } }))));
  assertEquals(kept.every((it) => it), true);
  assertEquals(Object.keys(await slots(store, next) ?? {}).length, 21);
  assertEquals((await slots(store, next))?.n, "20");
});

behavior("Commit() with a new ID succeeds only for the first of two writers", async (store) => {
  const id = await create(store, { a: "1" });
  const [one, two, first, second] = [await load(store, id), await load(store, id), newID(), newID()];
  assert(await one.Commit(changes({ ID: first })));
  assertEquals(await two.Commit(changes({ ID: second, Set: { a: "2" } })), false);
  assertEquals([await slots(store, first), await slots(store, second)], [{ a: "1" }, null]);
});

behavior("Commit() with a new ID by 20 at the same time leaves one live ID", async (store) => {
  const id = await create(store);
  const all = await Promise.all(times(20, () => load(store, id)));
  const ids = times(20, newID);
  const won = await Promise.all(all.map((stored, i) => stored.Commit(changes({ ID: ids[i] as string }))));
  assertEquals(won.filter((it) => it).length, 1);
  const found = await Promise.all([id, ...ids].map((it) => store.Load(it)));
  assertEquals(found.filter((it) => it !== null).length, 1);
});

behavior("Commit() with an ID in use does nothing at all", async (store) => {
  const [id, other] = [await create(store, { a: "1" }), await create(store, { b: "1" })];
  assertEquals(await (await load(store, id)).Commit(changes({ Set: { a: "2" }, ID: other })), false);
  assertEquals([await slots(store, id), await slots(store, other)], [{ a: "1" }, { b: "1" }]);
});

behavior("Commit() may replace an ID again and again", async (store) => {
  const ids = [await create(store, { a: "1" }), newID(), newID(), newID()];
  for (let i = 0; i < 3; i++) {
    assert(await (await load(store, ids[i] as string)).Commit(changes({ ID: ids[i + 1] ?? "" })));
  }
  assertEquals(await Promise.all(ids.map((id) => slots(store, id))), [null, null, null, { a: "1" }]);
});

behavior("Create() cannot bring a replaced ID to the session that had it", async (store) => {
  const [id, next] = [await create(store, { secret: "1" }), newID()];
  await (await load(store, id)).Commit(changes({ ID: next }));
  await store.Create(id, new Map(), long);
  assertEquals((await slots(store, id))?.secret, undefined);
  assertEquals(await slots(store, next), { secret: "1" });
});

// Destruction

behavior("Destroy() leaves the ID unknown", async (store) => {
  const id = await create(store, { a: "1" });
  assertEquals(await (await load(store, id)).Destroy(), true);
  assertEquals(await store.Load(id), null);
});

behavior("Destroy() of a session that is gone returns false", async (store) => {
  const stored = await load(store, await create(store));
  await stored.Destroy();
  assertEquals(await stored.Destroy(), false);
});

behavior("Destroy() succeeds only for one of 20 concurrent callers", async (store) => {
  const id = await create(store);
  const all = await Promise.all(times(20, () => load(store, id)));
  const done = await Promise.all(all.map((stored) => stored.Destroy()));
  assertEquals(done.filter((it) => it).length, 1);
});

behavior("Destroy() loaded under the old ID ends the session under its new one", async (store) => {
  const [id, next] = [await create(store), newID()];
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ ID: next }));
  assertEquals(await early.Destroy(), true);
  assertEquals(await store.Load(next), null);
});

behavior("Destroy() leaves other sessions alone", async (store) => {
  const [one, two] = [await create(store, { a: "1" }), await create(store, { a: "2" })];
  await (await load(store, one)).Destroy();
  assertEquals(await slots(store, two), { a: "2" });
});

behavior("Commit() to a destroyed session returns false and does not bring it back", async (store) => {
  const id = await create(store, { a: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Destroy();
  assertEquals(await early.Commit(changes({ Set: { a: "2" }, Add: { n: 1 }, Lifetime: long })), false);
  assertEquals(await store.Load(id), null);
});

behavior("Commit() with a new ID to a destroyed session brings neither ID to life", async (store) => {
  const [id, next] = [await create(store, { a: "1" }), newID()];
  const early = await load(store, id);
  await (await load(store, id)).Destroy();
  assertEquals(await early.Commit(changes({ ID: next })), false);
  assertEquals([await store.Load(id), await store.Load(next)], [null, null]);
});

behavior("Commit() to a destroyed session does not reach the one created after it", async (store) => {
  const id = await create(store);
  const early = await load(store, id);
  await (await load(store, id)).Destroy();
  const other = await create(store, { a: "1" });
  await early.Commit(changes({ Set: { a: "2" } }));
  assertEquals(await slots(store, other), { a: "1" });
});

// Expiry

behavior("Load() returns null once the lifetime is over", async (store) => {
  const id = await whileAlive(store, { a: "1" }, async (id) => {
    assertNotEquals(await store.Load(id), null);
    return id;
  });
  await wait(short + 20);
  assertEquals(await store.Load(id), null);
});

behavior("Commit() to an expired session returns false and does not bring it back", async (store) => {
  const { id, stored } = await whileAlive(store, {}, async (id) => ({ id, stored: await load(store, id) }));
  await wait(short + 20);
  assertEquals(await stored.Commit(changes({ Set: { a: "1" }, Lifetime: long })), false);
  assertEquals(await store.Load(id), null);
});

behavior("Destroy() of an expired session returns false", async (store) => {
  const stored = await whileAlive(store, {}, (id) => load(store, id));
  await wait(short + 20);
  assertEquals(await stored.Destroy(), false);
});

behavior("Commit() with a lifetime lets the session live longer", async (store) => {
  const id = await whileAlive(store, { a: "1" }, async (id) => {
    assert(await (await load(store, id)).Commit(changes({ Lifetime: long })));
    return id;
  });
  await wait(short + 20);
  assertEquals(await slots(store, id), { a: "1" });
});

behavior("Commit() with a lifetime lets the session live shorter", async (store) => {
  const id = await create(store, {}, long);
  await (await load(store, id)).Commit(changes({ Lifetime: short }));
  await wait(short + 20);
  assertEquals(await store.Load(id), null);
});

behavior("Commit() with a lifetime reaches a session whose ID has been replaced", async (store) => {
  const next = await whileAlive(store, {}, async (id) => {
    const [next, early] = [newID(), await load(store, id)];
    assert(await (await load(store, id)).Commit(changes({ ID: next })));
    assert(await early.Commit(changes({ Lifetime: long })));
    return next;
  });
  await wait(short + 20);
  assertNotEquals(await store.Load(next), null);
});

behavior("Create() takes a lifetime of 400 days and one with a fraction", async (store) => {
  const days = 400 * 86_400_000;
  assert((await load(store, await create(store, {}, days))).Remaining > days - 60_000);
  assert((await load(store, await create(store, {}, 60_000.5))).Remaining <= 60_001);
});

// Taking

behavior("Take() returns the slot's text and empties the slot", async (store) => {
  const id = await create(store, { a: '"message"', b: "1" });
  assertEquals(await (await load(store, id)).Take("a"), '"message"');
  assertEquals(await slots(store, id), { b: "1" });
});

behavior("Take() of an empty slot returns null", async (store) => {
  assertEquals(await (await load(store, await create(store, { a: "1" }))).Take("b"), null);
});

behavior("Take() returns the text to exactly one of 50 concurrent callers", async (store) => {
  const id = await create(store, { a: "1" });
  const all = await Promise.all(times(50, () => load(store, id)));
  const taken = await Promise.all(all.map((stored) => stored.Take("a")));
  assertEquals(taken.filter((it) => it !== null), ["1"]);
});

behavior("Take() returns a value that was stored after loading", async (store) => {
  const id = await create(store, { a: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ Set: { a: "2" } }));
  assertEquals(await early.Take("a"), "2");
});

behavior("Take() works when the ID has been replaced", async (store) => {
  const id = await create(store, { a: "1" });
  const early = await load(store, id);
  await (await load(store, id)).Commit(changes({ ID: newID() }));
  assertEquals(await early.Take("a"), "1");
});

behavior("Take() from a destroyed or an expired session returns null", async (store) => {
  const one = await load(store, await create(store, { a: "1" }));
  const two = await whileAlive(store, { a: "1" }, (id) => load(store, id));
  await one.Destroy();
  await wait(short + 20);
  assertEquals([await one.Take("a"), await two.Take("a")], [null, null]);
});

// Sweeping and closing

behavior("Create() only removes expired sessions", async (store) => {
  const live = await create(store, { a: "1" });
  for (let i = 0; i < 5; i++) await create(store, {}, short);
  await wait(short + 20);
  for (let i = 0; i < 5; i++) await create(store, {});
  assertEquals(await slots(store, live), { a: "1" });
});

behavior("Close() lets go of everything", async (store) => {
  const stored = await load(store, await create(store, { a: "1" }));
  await stored.Commit(changes({ Set: { a: "2" } }));
  await store.Close?.();
});

behavior("DestroyAll() destroys all sessions and returns their current IDs", async (store) => {
  assertEquals(await store.DestroyAll?.(), []);
  const first = await create(store, { a: "1" });
  const second = await create(store, { a: "2" });
  await create(store, {}, 1);
  const held = await load(store, first);
  const moved = newID();
  assert(await (await load(store, second)).Commit(changes({ ID: moved })));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals([...await store.DestroyAll?.() ?? []].sort(), [first, moved].sort());
  assertEquals([await store.Load(first), await store.Load(moved)], [null, null]);
  assertEquals(await held.Commit(changes({ Set: { a: "3" } })), false);
  const next = await create(store, { a: "4" });
  assertEquals((await load(store, next)).Slots.get("a"), "4");
});
