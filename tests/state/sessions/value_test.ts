import { assert, assertEquals, assertNotStrictEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { decode, encode } from "../../../src/state/sessions/value.ts";

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

Deno.test("encode() omits undefined members and preserves undefined array items", () => {
  assertEquals(Object.keys(roundTrip({ a: undefined, b: 1 }) as object), ["b"]);
  assertEquals(roundTrip([undefined, 1]), [undefined, 1]);
});

Deno.test("decode() reads the values that version 0.2 has stored", () => {
  const texts = {
    '{"id":{"$bigint":"9007199254740993"},"at":{"$date":5},"own":{"$":{"$date":1}}}': {
      id: 9007199254740993n,
      at: new Date(5),
      own: { $date: 1 },
    },
    '[null,1,"https://a.example/b"]': [null, 1, "https://a.example/b"],
    '{"$":{"$map":{"$date":1}}}': { $map: new Date(1) },
  };
  for (const [text, value] of Object.entries(texts)) assertEquals(decode(text), value);
});

Deno.test("decode() reports a value that a newer version of fw has stored", () => {
  assertThrows(() => decode('{"$color":"red"}'), TypeError, 'a newer version of fw has written "$color"');
});

Deno.test("encode() rejects values that would change", () => {
  const itself: { it?: unknown } = {};
  itself.it = itself;
  const refused = [
    undefined,
    Symbol("s"),
    () => {},
    new (class User {})(),
    Promise.resolve(1),
    new Date(NaN),
    itself,
    { deep: [{ er: new WeakMap() }] },
  ];
  for (const value of refused) {
    const error = assertThrows(() => encode("cart", value), FrameworkError, 'Cannot store "cart" in the session: ');
    assertEquals(error.Code, "FW_SESSION");
  }
});

Deno.test("encode() reports the rejected value", () => {
  assertThrows(() => encode("cart", [1, { at: () => {} }]), FrameworkError, "cart[1].at is a function");
  assertThrows(() => encode("n", { x: new Date(NaN) }), FrameworkError, "n.x is an invalid Date");
});

Deno.test("decode() returns a new value each time", () => {
  const text = encode("list", [{ a: 1 }]);
  assertNotStrictEquals(decode(text), decode(text));
  assert(!text.includes("$"));
});
