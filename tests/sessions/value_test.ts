import { assert, assertEquals, assertNotStrictEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/errors/errors.ts";
import { decode, encode } from "../../src/sessions/value.ts";

function roundTrip(value: unknown): unknown {
  return decode(encode("key", value));
}

Deno.test("encode() and decode() preserve JSON values", () => {
  for (const value of ["", "text", 0, -1.5, true, false, null, [], {}, [1, ["two", null]], { a: { b: [1] } }]) {
    assertEquals(roundTrip(value), value);
  }
});

Deno.test("encode() and decode() preserve bigints and Dates at any depth", () => {
  const date = new Date("2026-02-03T04:05:06.789Z");
  const value = { id: 9007199254740993n, at: date, list: [1n, { then: date }] };
  assertEquals(roundTrip(value), value);
  assertEquals(roundTrip(5n), 5n);
  assertEquals(roundTrip(date), date);
});

Deno.test("encode() and decode() preserve objects that look like their own markers", () => {
  for (
    const value of [
      { $bigint: "5" },
      { $date: 1 },
      { $: { $bigint: "5" } },
      { $: 1 },
      { $other: [{ $date: "x" }] },
      { $bigint: "5", more: 1 },
      [{ $: { $: {} } }],
      '{"$bigint":"5"}',
    ]
  ) assertEquals(roundTrip(value), value);
});

Deno.test("encode() and decode() preserve members with the names of Object.prototype members", () => {
  const value = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"toString":5}');
  const back = roundTrip({ value, at: 1n }) as { value: Record<string, unknown>; admin?: boolean };
  assertEquals(Object.keys(back.value), ["__proto__", "constructor", "toString"]);
  assertEquals(Object.getPrototypeOf(back.value), Object.prototype);
  assertEquals(back.admin, undefined);
});

Deno.test("encode() stores the fields of an instance or the result of toJSON", () => {
  class User {
    name = "ada";
    nick = undefined;
    greet(): string {
      return this.name;
    }
  }
  assertEquals(roundTrip(new User()), { name: "ada" });
  assertEquals(roundTrip(new URL("https://a.example/b")), "https://a.example/b");
});

Deno.test("encode() omits undefined members and replaces undefined array items with null", () => {
  assertEquals(roundTrip({ a: undefined, b: 1 }), { b: 1 });
  assertEquals(roundTrip([undefined, 1]), [null, 1]);
});

Deno.test("encode() rejects values that would change", () => {
  const itself: { it?: unknown } = {};
  itself.it = itself;
  const refused = [
    undefined,
    NaN,
    Infinity,
    Symbol("s"),
    () => {},
    new Map([[1, 2]]),
    new Set([1]),
    new Uint8Array(2),
    /x/,
    new Error("x"),
    Promise.resolve(1),
    new Date(NaN),
    itself,
    { deep: [{ er: new Map() }] },
  ];
  for (const value of refused) {
    const error = assertThrows(() => encode("cart", value), FrameworkError, 'Cannot store "cart" in the session: ');
    assertEquals(error.Code, "FW_SESSION");
  }
});

Deno.test("encode() reports the rejected value", () => {
  assertThrows(() => encode("cart", new Map()), FrameworkError, "a value of type Map cannot be serialized as JSON");
  assertThrows(() => encode("n", { x: NaN }), FrameworkError, "NaN cannot be serialized as JSON");
});

Deno.test("decode() returns a new value each time", () => {
  const text = encode("list", [{ a: 1 }]);
  assertNotStrictEquals(decode(text), decode(text));
  assert(!text.includes("$"));
});
