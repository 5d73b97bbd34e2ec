import { assertEquals, assertThrows } from "@std/assert";
import fc from "npm:fast-check@^4";
import { toJSON } from "../../src/context/json.ts";

Deno.test("toJSON() writes what JSON.stringify writes, of all that has no bigint", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assertEquals(toJSON(value), JSON.stringify(value));
  }));
});

Deno.test("toJSON() writes a bigint as a number, to the last digit, wherever it stands", () => {
  fc.assert(fc.property(fc.bigInt(), fc.jsonValue(), (number, other) => {
    assertEquals(toJSON(number), String(number));
    assertEquals(toJSON([{ number, other }]), `[{"number":${number},"other":${JSON.stringify(other)}}]`);
  }));
});

Deno.test("toJSON() writes a bigint that toJSON() of an object answers", () => {
  assertEquals(toJSON({ id: { toJSON: () => 5n } }), '{"id":5}');
  assertEquals(toJSON({ toJSON: () => ({ id: 5n }) }), '{"id":5}');
});

Deno.test("toJSON() does not take a text for a number", () => {
  assertEquals(toJSON({ a: "5n", b: 5n }), '{"a":"5n","b":5}');
});

Deno.test("toJSON() writes null for what JSON does not know", () => {
  assertEquals([toJSON(undefined), toJSON(() => 1), toJSON(Symbol("x"))], ["null", "null", "null"]);
});

Deno.test("toJSON() refuses a circle, with a bigint in it or not", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  assertThrows(() => toJSON(circle), TypeError);
  circle["id"] = 1n;
  assertThrows(() => toJSON(circle), TypeError);
});

Deno.test("toJSON() passes on what toJSON() of an object throws", () => {
  const failing = {
    toJSON() {
      throw new TypeError("mine");
    },
  };
  assertEquals(assertThrows(() => toJSON(failing), TypeError).message, "mine");
});
