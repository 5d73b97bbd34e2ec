import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "npm:fast-check@^4";
import { describe, escapeControls, traceOf } from "../../../src/base/log/describe.ts";

Deno.test("escapeControls() escapes characters that could forge a line or control a terminal", () => {
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

Deno.test("traceOf() stops at circular or very deep causes", () => {
  const circle = new Error("circle");
  circle.cause = new Error("back", { cause: circle });
  assertEquals(traceOf(circle).filter((line) => line.includes("Caused by")).length, 1);
  let deep = new Error("bottom");
  for (let i = 0; i < 100; i++) deep = new Error(`level ${i}`, { cause: deep });
  assert(traceOf(deep).filter((line) => line.includes("Caused by")).length < 10);
});

Deno.test("traceOf() indents and escapes every line of the stack", () => {
  const error = new Error("m");
  error.stack = "[INFO] 2026/11/15 02:56 forged\n[INFO] again \x1b[2J\r[ERRO]";
  for (const line of traceOf(error)) {
    assert(line.startsWith("    "), line);
    assert(!line.includes("\x1b") && !line.includes("\r"), line);
  }
});
