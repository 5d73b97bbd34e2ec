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

/** The results of Go's `fmt.Sprintf` for floating-point numbers: the formats, and the results for each number. */
const FLOATS: readonly (readonly [value: number, results: Readonly<Record<string, string>>])[] = [
  [0, { "%f": "0.000000", "%.0f": "0", "%e": "0.000000e+00", "%g": "0", "%#g": "0.00000", "%6.2f|": "  0.00|" }],
  [-0, { "%f": "-0.000000", "%g": "-0", "%d": "0" }],
  [3, { "%.0f": "3", "%#.0f": "3.", "%g": "3", "%.3g": "3", "%#.3g": "3.00", "%e": "3.000000e+00", "%.0e": "3e+00" }],
  [100, { "%g": "100", "%.2g": "1e+02", "%.3g": "100", "%G": "100" }],
  [100_000, { "%g": "100000", "%.3g": "1e+05" }],
  [1_000_000, { "%g": "1e+06", "%G": "1E+06", "%.10g": "1000000", "%f": "1000000.000000" }],
  [123_456.789, { "%g": "123456.789", "%.4g": "1.235e+05", "%.2f": "123456.79", "%10.1f|": "  123456.8|" }],
  [1_234_567.5, { "%g": "1.2345675e+06", "%.3e": "1.235e+06", "%E": "1.234568E+06" }],
  [0.1, { "%g": "0.1", "%.20f": "0.10000000000000000555", "%.1f": "0.1", "%.0f": "0" }],
  [0.0001, { "%g": "0.0001", "%e": "1.000000e-04" }],
  [0.00001, { "%g": "1e-05", "%f": "0.000010", "%.3g": "1e-05" }],
  [0.1234567, { "%g": "0.1234567", "%.3g": "0.123", "%f": "0.123457" }],
  // Numbers that are exactly between two others are rounded to the even one.
  [0.5, { "%.0f": "0", "%.0e": "5e-01", "%5.0f|": "    0|" }],
  [1.5, { "%.0f": "2", "%.0e": "2e+00", "%.1g": "2" }],
  [2.5, { "%.0f": "2", "%.0e": "2e+00", "%.1g": "2", "%f": "2.500000" }],
  [0.125, { "%.2f": "0.12", "%.3f": "0.125", "%.1e": "1.2e-01", "%.2g": "0.12" }],
  [0.375, { "%.2f": "0.38", "%.1e": "3.8e-01" }],
  // This one is a little less than 1.005, and the next one a little more than 0.285.
  [1.005, { "%.2f": "1.00" }],
  [0.285, { "%.2f": "0.28" }],
  [9.5, { "%.0f": "10", "%.1g": "1e+01", "%.0e": "1e+01" }],
  [99.995, { "%.4g": "100", "%.2f": "100.00" }],
  [1e21, { "%g": "1e+21", "%f": "1000000000000000000000.000000", "%.0f": "1000000000000000000000" }],
  [1e300, { "%g": "1e+300", "%e": "1.000000e+300" }],
  [5e-324, { "%g": "5e-324", "%.1e": "4.9e-324" }],
  [-3.14159, { "%f": "-3.141590", "%+.2f": "-3.14", "%08.2f": "-0003.14", "%-8.2f|": "-3.14   |", "%g": "-3.14159" }],
  [3.14159, { "%+.2f": "+3.14", "% .2f": " 3.14", "%08.2f": "00003.14", "%8.2f|": "    3.14|", "%+08.2f": "+0003.14" }],
  [Infinity, { "%f": "+Inf", "%6f|": "  +Inf|", "%06f": "  +Inf", "%-6f|": "+Inf  |" }],
  [-Infinity, { "%g": "-Inf", "%8e|": "    -Inf|" }],
  [NaN, { "%f": "NaN", "%6f|": "   NaN|", "%06f": "   NaN", "%+f": "+NaN" }],
];

for (const [value, results] of FLOATS) {
  const shown = Object.is(value, -0) ? "-0" : String(value);
  Deno.test(`formatVerbs() formats ${shown} as Go does`, () => {
    for (const [format, text] of Object.entries(results)) assertEquals(formatVerbs(format, [value]), text, format);
  });
}

Deno.test("formatVerbs() writes all digits of a number with %g that are needed to read it again", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = formatVerbs("%g", [value]);
      assertEquals(Object.is(Number(text), value), true, text);
    }),
    { numRuns: runs(1_000) },
  );
});

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
