import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Key } from "../../../src/core/exchange/values.ts";
import { Session } from "../../../src/state/sessions/session.ts";

Deno.test("Session.Get() returns undefined for a key without a value", () => {
  assertEquals(new Session().Get("absent"), undefined);
});

Deno.test("Session.Get() returns the value passed to Set()", () => {
  const session = new Session();
  assert(session.Set("cart", { tea: 2, since: new Date(5), id: 7n }));
  assertEquals(session.Get("cart"), { tea: 2, since: new Date(5), id: 7n });
});

Deno.test("Session.Get() returns a copy", () => {
  const session = new Session();
  const given = ["tea"];
  session.Set("cart", given);
  given.push("milk");
  (session.Get("cart") as string[]).push("sugar");
  assertEquals(session.Get("cart"), ["tea"]);
});

Deno.test("Session.Get() and Set() accept typed keys", () => {
  const user = Key<{ name: string }>("user");
  const session = new Session();
  session.Set(user, { name: "ada" });
  const name: string | undefined = session.Get(user)?.name;
  assertEquals(name, "ada");
  assertEquals(session.Get("user"), { name: "ada" });
  assertEquals(session.GetDefault(Key<number>("n"), 5), 5);
  assert(session.Delete(user));
  assertEquals(session.Get(user), undefined);
});

Deno.test("Session.Set() accepts keys with the names of Object.prototype members", () => {
  const session = new Session();
  for (const key of ["__proto__", "constructor", "toString", ""]) session.Set(key, key);
  assertEquals(Object.keys(session.GetAll()).sort(), ["", "__proto__", "constructor", "toString"]);
  assertEquals(session.Get("__proto__"), "__proto__");
});

Deno.test("Session.Set() rejects values that cannot be stored, and keeps the old value", () => {
  const session = new Session();
  session.Set("cart", 1);
  assertThrows(() => session.Set("cart", new Date(NaN)), FrameworkError, 'Cannot store "cart"');
  assertEquals(session.Get("cart"), 1);
});

Deno.test("Session.GetString() returns strings and numbers as strings, and the default otherwise", () => {
  const session = new Session();
  session.Set("text", "a");
  session.Set("number", 5);
  session.Set("list", []);
  assertEquals(["text", "number", "list", "absent"].map((key) => session.GetString(key)), ["a", "5", "", ""]);
  assertEquals(session.GetStringDefault("absent", "b"), "b");
  assertEquals(session.GetStringDefault("text", "b"), "a");
});

Deno.test("Session.GetInt() returns integers and numeric strings, and -1 and an error otherwise", () => {
  const session = new Session();
  const values = { a: 5, b: "-6", c: 7n, d: 1.5, e: "x", f: null, g: true, h: "", i: "99999999999999999999" };
  for (const [key, value] of Object.entries(values)) session.Set(key, value);
  for (const [key, number] of [["a", 5], ["b", -6], ["c", 7]] as const) {
    assertEquals(session.GetInt(key), [number, null]);
  }
  for (const key of ["d", "e", "f", "g", "h", "i", "absent"]) {
    const [number, error] = session.GetInt(key);
    assertEquals(number, -1);
    assert(error instanceof FrameworkError && error.message.startsWith(`Cannot read session value "${key}"`));
    assertEquals(session.GetIntDefault(key, 3), 3);
  }
});

Deno.test("Session.GetInt64() returns bigints of up to 64 bits, and -1n and an error otherwise", () => {
  const session = new Session();
  session.Set("a", 2n ** 63n - 1n);
  session.Set("b", "9007199254740993");
  session.Set("c", 4);
  session.Set("d", 2n ** 63n);
  assertEquals(session.GetInt64("a"), [2n ** 63n - 1n, null]);
  assertEquals(session.GetInt64("b"), [9007199254740993n, null]);
  assertEquals(session.GetInt64("c"), [4n, null]);
  assertEquals(session.GetInt64("d")[0], -1n);
  assertNotEquals(session.GetInt64("absent")[1], null);
  assertEquals(session.GetInt64Default("absent", 8n), 8n);
});

Deno.test("Session.GetFloat64() returns numbers and numeric strings, and -1 and an error otherwise", () => {
  const session = new Session();
  session.Set("a", 1.5);
  session.Set("b", "2.5e3");
  session.Set("c", "x");
  assertEquals([session.GetFloat64("a"), session.GetFloat64("b")], [[1.5, null], [2500, null]]);
  assertEquals(session.GetFloat64("c")[0], -1);
  assertNotEquals(session.GetFloat64("c")[1], null);
  assertEquals(session.GetFloat64Default("c", 0.5), 0.5);
});

Deno.test("Session.GetBool() returns booleans, and false and an error otherwise", () => {
  const session = new Session();
  const values = { a: true, b: false, c: "true", d: "False", e: 1, f: 0, g: "yes", h: "constructor" };
  for (const [key, value] of Object.entries(values)) session.Set(key, value);
  const expected = { a: true, b: false, c: true, d: false, e: true, f: false };
  for (const [key, value] of Object.entries(expected)) assertEquals(session.GetBool(key), [value, null]);
  for (const key of ["g", "h", "absent"]) {
    assertEquals(session.GetBool(key)[0], false);
    assertNotEquals(session.GetBool(key)[1], null);
    assertEquals(session.GetBoolDefault(key, true), true);
  }
});

Deno.test("Session.SetImmutable() stores a value that Set() and Increment() do not change", () => {
  const session = new Session();
  session.SetImmutable("role", 1);
  assertEquals(session.Set("role", 2), false);
  assertEquals(session.Increment("role"), 1);
  assertEquals(session.Get("role"), 1);
  session.SetImmutable("role", 3);
  assertEquals(session.Get("role"), 3);
  assertEquals(session.Len(), 1);
});

Deno.test("Session.SetImmutable() takes precedence over a mutable value with the same key, and Delete() removes both", () => {
  const session = new Session();
  session.Set("role", "plain");
  session.SetImmutable("role", "fixed");
  assertEquals(session.GetAll(), Object.assign(Object.create(null), { role: "fixed" }));
  assert(session.Delete("role"));
  assertEquals(session.Get("role"), undefined);
});

Deno.test("Session.Delete() reports whether the value existed", () => {
  const session = new Session();
  session.Set("a", 1);
  assertEquals([session.Delete("a"), session.Delete("a")], [true, false]);
});

Deno.test("Session.Clear() removes all values but no flash messages", () => {
  const session = new Session();
  session.Set("a", 1);
  session.SetImmutable("b", 2);
  session.SetFlash("c", 3);
  session.Clear();
  assertEquals([session.Len(), session.HasFlash("c")], [0, true]);
});

Deno.test("Session.Visit() and Len() include every value once", () => {
  const session = new Session();
  session.Set("a", 1);
  session.Increment("b");
  session.SetFlash("c", 3);
  const seen: unknown[] = [];
  session.Visit((key, value) => seen.push([key, value]));
  assertEquals(seen, [["a", 1], ["b", 1]]);
  assertEquals(session.Len(), 2);
});

Deno.test("Session.Increment() and Decrement() return the new number", () => {
  const session = new Session();
  assertEquals([session.Increment("n"), session.Increment("n", 5), session.Decrement("n", 2)], [1, 6, 4]);
  session.Set("n", 10);
  assertEquals([session.Increment("n"), session.Get("n")], [11, 11]);
  session.Delete("n");
  assertEquals(session.Increment("n"), 1);
  session.Set("n", "text");
  assertEquals(session.Increment("n"), 1);
});

Deno.test("Session.Increment() rejects numbers that are not integers", () => {
  for (const n of [1.5, NaN, Infinity]) {
    assertThrows(() => new Session().Increment("n", n), FrameworkError, "it must be an integer");
  }
});

Deno.test("Session.Regenerate() returns a different ID each time, of 128 bits or more", () => {
  const session = new Session();
  const ids = [session.ID(), session.Regenerate(), session.Regenerate()];
  assertEquals(new Set(ids).size, 3);
  assertEquals(session.ID(), ids[2]);
  for (const id of ids) assert(/^[\w-]{22,}$/.test(id), id);
});

Deno.test("Session.GetFlash() removes a message, and PeekFlash() keeps it", async () => {
  const session = new Session();
  session.SetFlash("info", { text: "saved" });
  assertEquals(session.PeekFlash("info"), { text: "saved" });
  assertEquals([session.HasFlash(), session.HasFlash("info"), session.HasFlash("other")], [true, true, false]);
  assertEquals(await session.GetFlash("info"), { text: "saved" });
  assertEquals(await session.GetFlash("info"), undefined);
  assertEquals([session.HasFlash(), session.PeekFlash("info")], [false, undefined]);
});

Deno.test("Session.SetFlash() stores messages separately from values", () => {
  const session = new Session();
  session.SetFlash("a", "message");
  session.Set("a", "value");
  assertEquals([session.Get("a"), session.PeekFlash("a"), session.Len()], ["value", "message", 1]);
});

Deno.test("Session.Destroy() prevents further reads and writes", () => {
  const session = new Session();
  session.Set("a", 1);
  session.Destroy();
  assertEquals([session.Get("a"), session.Len()], [undefined, 0]);
  assertThrows(() => session.Set("a", 2), FrameworkError, "it has been destroyed");
  assertThrows(() => session.Regenerate(), FrameworkError, "it has been destroyed");
});

Deno.test("Session.Set() does not compile with a value that cannot be stored", () => {
  class Cart {
    items: string[] = [];
    total(): number {
      return this.items.length;
    }
  }
  interface User {
    readonly id: bigint;
    readonly since: Date;
    readonly friends: readonly User[];
  }
  const session = new Session();
  const ada: User = { id: 1n, since: new Date(5), friends: [] };
  const anything: unknown = new Map([[1, ada]]);
  session.Set("user", ada);
  session.Set("any", anything);
  session.Set(Key<User>("typed"), ada);
  session.SetImmutable("id", 5n);
  session.SetFlash("note", ["saved", { at: new Date(1) }]);
  assertEquals(session.Get("user"), ada);
  assertEquals(session.Get("any"), new Map([[1, ada]]));
  // @ts-expect-error An instance of a class with methods would be restored without them.
  assertThrows(() => session.Set("cart", new Cart()), FrameworkError, "cart is an instance of Cart");
  // @ts-expect-error An instance of a class with methods would be restored without them.
  assertThrows(() => session.Set(Key<Cart>("cart"), new Cart()), FrameworkError, "cart is an instance of Cart");
  // @ts-expect-error Functions cannot be stored.
  assertThrows(() => session.SetFlash("f", { run: () => {} }), FrameworkError, "f.run is a function");
});
