import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { addValue, hasMorePairs, parseUrlencoded, valueMap } from "../../../src/http/headers/urlencoded.ts";
import { assertLinear } from "../../growth.ts";
import { runs } from "../../runs.ts";

// Separators, escape sequences, incomplete escape sequences and characters, and long runs of each.
const units = [
  "a",
  "b",
  "&",
  "=",
  "+",
  "%",
  "%4",
  "%41",
  "%C3",
  "%C3%A4",
  "%e2%82%ac",
  "%ED%A0%80",
  "%00",
  "%zz",
  "%ff",
  "ä",
  "😀",
  "1",
  ";",
  "#",
  "?",
];
const texts = fc.array(
  fc.oneof(
    fc.constantFrom(...units),
    fc.tuple(fc.constantFrom(...units), fc.integer({ min: 2, max: 2000 })).map(([unit, count]) => unit.repeat(count)),
  ),
  { maxLength: 12 },
).map((list) => list.join(""));

Deno.test("parseUrlencoded() agrees with the platform's reader", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const expected = valueMap();
      for (const [name, value] of new URLSearchParams(`&${text}`)) addValue(expected, name, value);
      assertEquals(parseUrlencoded(text), expected);
    }),
    { numRuns: runs(2000) },
  );
});

Deno.test("parseUrlencoded() reads the given part of a string", () => {
  assertEquals({ ...parseUrlencoded("/?a=1&b=%41#x", 2, 11) }, { a: ["1"], b: ["A"] });
});

Deno.test("hasMorePairs() agrees with the platform's parser", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 50 }), (text, max) => {
      assertEquals(hasMorePairs(text, max), new URLSearchParams(`&${text}`).size > max);
    }),
    { numRuns: runs(2000) },
  );
});

for (const unit of ["%&", "&", "=", "+", "%", "%C3&", "%41", "a%C3", "&a=%zz"]) {
  Deno.test(`parseUrlencoded() takes linear time for many "${unit}"`, async () => {
    await assertLinear(parseUrlencoded, { size: 100_000, prepare: (size) => unit.repeat(size) });
  });
}
