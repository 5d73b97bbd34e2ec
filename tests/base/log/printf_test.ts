import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { formatVerbs } from "../../../src/base/log/printf.ts";
import { runs } from "../../runs.ts";

const TABLE: [format: string, args: unknown[], text: string][] = [
  ["plain", [], "plain"],
  ["%s has %d items", ["cart", 3], "cart has 3 items"],
  ["%d %d %d", [5n, 9223372036854775807n, -7], "5 9223372036854775807 -7"],
  ["%5d|%-5d|%05d|%+d", [42, 42, 42, 42], "   42|42   |00042|+42"],
  ["%5d", [5n], "    5"],
  ["%22d|", [9223372036854775807n], "   9223372036854775807|"],
  ["%x %X %o %b", [255, 255, 8, 5], "ff FF 10 101"],
  ["%x %X", [18446744073709551615n, 18446744073709551615n], "ffffffffffffffff FFFFFFFFFFFFFFFF"],
  ["%x", ["hi"], "6869"],
  ["%f %.2f %8.3f|%e", [1.5, 3.14159, 2.5, 1234.5], "1.500000 3.14    2.500|1.234500e+03"],
  ["%.1f", [5n], "5.0"],
  ["%s|%5s|%-5s|%.2s", ["ab", "ab", "ab", "abcd"], "ab|   ab|ab   |ab"],
  ["%q", ['say "hi"\n'], '"say \\"hi\\"\\n"'],
  ["%t %t", [true, false], "true false"],
  ["%c", [65], "A"],
  ["%v %v %v", [1, "a", true], "1 a true"],
  ["%v %s %v", [null, undefined, { a: 1 }], "null undefined { a: 1 }"],
  ["%v", [new TypeError("bad")], "TypeError: bad"],
  ["%s", [5n], "5n"],
  ["%T %T %T", [1, "a", new Map()], "number string Map"],
  ["%j %j", [{ a: [1] }, { a: 1n }], '{"a":[1]} { a: 1n }'],
  ["%[2]d before %[1]d", [1, 2], "2 before 1"],
  ["%*d", [5, 1], "    1"],
  ["%.*f", [1, 2.5], "2.5"],
  ["100%%", [], "100%"],
  ["%d", [], "%!d(MISSING)"],
  ["%[3]d", [1], "%!d(MISSING)"],
  ["%d", ["x"], "x"],
  ["a", [1, "b"], "a%!(EXTRA 1, b)"],
  ["odd %", [], "odd %!(NOVERB)"],
  ["%999999999d", [1], "%!(BADWIDTH)1"],
  ["%-1000001s|", ["a"], "%!(BADWIDTH)a|"],
  ["%0999999999999999999999d", [1], "%!(BADWIDTH)1"],
  ["%*d", [1e7, 1], "%!(BADWIDTH)1"],
  ["%*d", [-1e7, 1], "%!(BADWIDTH)1"],
  ["%*d", ["x", 1], "%!(BADWIDTH)1"],
  ["%*d", [-3, 1], "1  "],
  ["%.999999999f", [1], "%!(BADPREC)1.000000"],
  ["%.*s", [-1, "abc"], "%!(BADPREC)abc"],
  ["%9999999.9999999s", ["a"], "%!(BADWIDTH)%!(BADPREC)a"],
  ["%9999999d", [], "%!(BADWIDTH)%!d(MISSING)"],
  ["50% off", [], "50%!o(MISSING)ff"],
];

for (const [format, args, text] of TABLE) {
  Deno.test(`formatVerbs() formats "${format}" as "${JSON.stringify(text)}"`, () => {
    assertEquals(formatVerbs(format, args), text);
  });
}

Deno.test("formatVerbs() accepts a width of a million, like Go", () => {
  assertEquals(formatVerbs("%1000000d", [1]).length, 1_000_000);
});

Deno.test("formatVerbs() reports an error that is formatted with %+v", () => {
  const named: Error[] = [];
  const [one, two] = [new Error("one"), new Error("two")];
  assertEquals(formatVerbs("%v %+v", [one, two], (error) => named.push(error)), "Error: one Error: two");
  assertEquals(named, [two]);
});

Deno.test("formatVerbs() never throws, for any format and arguments", () => {
  const piece = fc.constantFrom(..."%sdvqxXtfegcbojTUzi*.[]0123- +#", "%[1]", "text");
  const format = fc.array(piece).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(format, fc.array(fc.anything({ withBigInt: true, withNullPrototype: true })), (text, args) => {
      assertEquals(typeof formatVerbs(text, args), "string");
    }),
    { numRuns: runs(2000) },
  );
});
