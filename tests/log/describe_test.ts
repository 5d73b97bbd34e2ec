import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "npm:fast-check@^4";
import { describe, escapeControls, traceOf } from "../../src/log/describe.ts";
import { runs } from "../runs.ts";
import { formatVerbs } from "../../src/log/printf.ts";

Deno.test("escapeControls() shows what could forge a line or steer a terminal", () => {
  const cases: [string, string][] = [
    ["plain Ünïcödé 😀\ttab", "plain Ünïcödé 😀\ttab"],
    ["a\nb\r\nc", "a\\nb\\r\\nc"],
    ["\x1b[31mred", "\\x1b[31mred"],
    ["\x00\x07\b\f\v\x7f\x9b", "\\x00\\x07\\b\\f\\v\\x7f\\x9b"],
    ["a\u2028b\u202ec\u2066d", "a\\u2028b\\u202ec\\u2066d"],
  ];
  for (const [text, shown] of cases) assertEquals(escapeControls(text), shown);
});

Deno.test("describe() shows every value on one line and never throws", () => {
  const cases: [unknown, string][] = [
    ["text", "text"],
    [5, "5"],
    [5n, "5n"],
    [undefined, "undefined"],
    [null, "null"],
    [{ a: 1, b: [1, "x"] }, '{ a: 1, b: [ 1, "x" ] }'],
    [new Error("m"), "Error: m"],
    [new TypeError(""), "TypeError"],
    [Symbol("s"), "Symbol(s)"],
  ];
  for (const [value, text] of cases) assertEquals(describe(value), text);
  const big = describe(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key${i}`, "value"])));
  assert(!big.includes("\n"), big);
  const bad = new Error("x");
  Object.defineProperty(bad, "message", {
    get() {
      throw new Error("no");
    },
  });
  assertEquals(describe(bad), "[a value that cannot be shown]");
  assertEquals(traceOf(bad), ["    [a stack that cannot be shown]"]);
  fc.assert(fc.property(fc.anything(), (value) => {
    describe(value);
  }));
});

Deno.test("traceOf() marks the lines of a message after the first, so that they are not taken for frames", () => {
  const lines = traceOf(new Error("first\n    at forged (file:///x.ts:1:1)\n[INFO] forged"));
  assertEquals(lines.slice(0, 2), ["    |     at forged (file:///x.ts:1:1)", "    | [INFO] forged"]);
  for (const line of lines.slice(2)) assertMatch(line, /^ {4}at /);
  assertEquals(traceOf(new Error("x\n".repeat(1000))).filter((line) => line.startsWith("    |")).length, 39);
});

Deno.test("traceOf() follows causes and the errors of an AggregateError", () => {
  const lines = traceOf(
    new AggregateError([new Error("one"), "two"], "all", {
      cause: new TypeError("why", { cause: { code: 5 } }),
    }),
  );
  const heads = lines.filter((line) => !line.trim().startsWith("at "));
  assertEquals(heads, [
    "    With: Error: one",
    "    With: two",
    "    Caused by: TypeError: why",
    "      Caused by: { code: 5 }",
  ]);
});

Deno.test("traceOf() ends when causes go in a circle or very deep", () => {
  const circle = new Error("circle");
  circle.cause = new Error("back", { cause: circle });
  assertEquals(traceOf(circle).filter((line) => line.includes("Caused by")).length, 1);
  let deep = new Error("bottom");
  for (let i = 0; i < 100; i++) deep = new Error(`level ${i}`, { cause: deep });
  assert(traceOf(deep).filter((line) => line.includes("Caused by")).length < 10);
});

Deno.test("traceOf() indents and escapes every line, whatever the stack says", () => {
  const error = new Error("m");
  error.stack = "[INFO] 2026/11/15 02:56 forged\n[INFO] again \x1b[2J\r[ERRO]";
  for (const line of traceOf(error)) {
    assert(line.startsWith("    "), line);
    assert(!line.includes("\x1b") && !line.includes("\r"), line);
  }
});

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
  ["50% off", [], "50%!o(MISSING)ff"],
];

for (const [format, args, text] of TABLE) {
  Deno.test(`formatVerbs() formats "${format}" as "${JSON.stringify(text)}"`, () => {
    assertEquals(formatVerbs(format, args), text);
  });
}

Deno.test("formatVerbs() tells of an error that %+v names, and of no other", () => {
  const named: Error[] = [];
  const [one, two] = [new Error("one"), new Error("two")];
  assertEquals(formatVerbs("%v %+v", [one, two], (error) => named.push(error)), "Error: one Error: two");
  assertEquals(named, [two]);
});

Deno.test("formatVerbs() never throws, whatever the format and the arguments", () => {
  const piece = fc.constantFrom(..."%sdvqxXtfegcbojTUzi*.[]0123- +#", "%[1]", "text");
  const format = fc.array(piece).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(format, fc.array(fc.anything({ withBigInt: true, withNullPrototype: true })), (text, args) => {
      assertEquals(typeof formatVerbs(text, args), "string");
    }),
    { numRuns: runs(2000) },
  );
});
