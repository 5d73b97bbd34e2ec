import { assertEquals, assertStrictEquals } from "@std/assert";
import type { FrameworkError } from "../../../src/base/errors/errors.ts";
import { bool, convert, convertOr, float64, int, int64, lenientBool, uint64 } from "../../../src/base/text/convert.ts";
import { BUILTIN_TYPES } from "../../../src/http/parameter_types/types.ts";

Deno.test("int reads signed decimal digits without loss and nothing else", () => {
  const right = { "0": 0, "42": 42, "+42": 42, "-42": -42, "007": 7, "9007199254740991": 9007199254740991, "-0": 0 };
  for (const [text, value] of Object.entries(right)) assertStrictEquals(int.read(text), value, text);
  const wrong = ["", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "--1", "+", "９", "NaN", "9007199254740992", "1n"];
  for (const text of wrong) assertEquals(int.read(text), undefined, text);
});

Deno.test("int64 reads the full 64-bit range and nothing else", () => {
  const right = ["0", "-1", "9223372036854775807", "-9223372036854775808"];
  for (const text of right) assertEquals(int64.read(text), BigInt(text), text);
  assertEquals(int64.read("+7"), 7n);
  assertEquals(int64.read(`-${"0".repeat(50)}7`), -7n);
  const wrong = ["", "9223372036854775808", "-9223372036854775809", "1.5", "0x1", " 1", "1".repeat(1_000_000)];
  for (const text of wrong) assertEquals(int64.read(text), undefined, text.slice(0, 30));
});

Deno.test("uint64 reads the full unsigned 64-bit range", () => {
  const right = ["0", "007", "18446744073709551615", `${"0".repeat(50)}7`];
  for (const text of right) assertEquals(uint64.read(text), BigInt(text), text);
  const wrong = ["", "-0", "+1", "-1", "18446744073709551616", "1.5", "0x1", " 1", "1".repeat(1_000_000)];
  for (const text of wrong) assertEquals(uint64.read(text), undefined, text.slice(0, 30));
});

Deno.test("float64 reads finite decimal numbers and nothing else", () => {
  const right = { "1": 1, "-1.5": -1.5, "+.5": 0.5, "5.": 5, "1e3": 1000, "1E-2": 0.01, "0": 0 };
  for (const [text, value] of Object.entries(right)) assertEquals(float64.read(text), value, text);
  const wrong = ["", ".", "e1", "1e", "NaN", "Infinity", "-inf", "0x10", " 1", "1,5", "1e999", "1_0"];
  for (const text of [...wrong, `${"1".repeat(100_000)}x`]) {
    assertEquals(float64.read(text), undefined, text.slice(0, 30));
  }
});

Deno.test("lenientBool reads false, 0, f and an empty string as false, and everything else as true", () => {
  for (const text of ["false", "FALSE", "False", "0", "f", "F", ""]) assertEquals(lenientBool.read(text), false, text);
  for (const text of ["true", "on", "1", "t", "no", "00", " "]) assertEquals(lenientBool.read(text), true, text);
});

Deno.test("bool accepts exactly twelve strings", () => {
  for (const text of ["1", "t", "T", "TRUE", "true", "True"]) assertEquals(bool.read(text), true, text);
  for (const text of ["0", "f", "F", "FALSE", "false", "False"]) assertEquals(bool.read(text), false, text);
  for (const text of ["", "on", "yes", "tRUE", "00", " true", "banana"]) assertEquals(bool.read(text), undefined, text);
});

Deno.test("a conversion accepts the same values as the path parameter type with its name", () => {
  const texts = ["0", "7", "-7", "+7", "007", "-0", "1.5", "", "-", "0x10", "1e3", " 1", "9007199254740991"];
  const edges = ["9007199254740992", "9223372036854775807", "9223372036854775808", "-9223372036854775808"];
  const words = ["18446744073709551615", "18446744073709551616", "true", "T", "tRUE", "False", "banana", "1n"];
  for (const [name, conversion] of Object.entries({ int, int64, uint64, bool })) {
    const type = BUILTIN_TYPES.find((row) => row.Name === name);
    for (const text of [...texts, ...edges, ...words]) {
      const expected = type?.Test(text, 0, text.length) ? type.Convert?.(text) : undefined;
      assertEquals(conversion.read(text), expected, `${name} of "${text}"`);
    }
  }
});

Deno.test("convert() sets the error code of the source", () => {
  const kinds = { "form field": "FW_FIELD", "path parameter": "FW_PARAM", "session value": "FW_SESSION" } as const;
  for (const [kind, code] of Object.entries(kinds)) {
    const [, error] = convert(bool, "banana", { kind: kind as keyof typeof kinds, name: "x" });
    assertEquals(error?.message, `Cannot read ${kind} "x" as a boolean: current value is "banana"`);
    assertEquals((error as FrameworkError).Code, code);
  }
});

Deno.test("convert() returns the default and an error with the field and its value", () => {
  const place = { kind: "form field", name: "age" } as const;
  assertEquals(convert(int, "7", place), [7, null]);
  const [value, error] = convert(int, "x", place);
  assertEquals([value, error?.message], [-1, 'Cannot read form field "age" as an integer: current value is "x"']);
  assertEquals((error as FrameworkError).Code, "FW_FIELD");
  assertEquals(
    convert(int, undefined, place)[1]?.message,
    'Cannot read form field "age" as an integer: the value is missing',
  );
  assertEquals(convert(bool, undefined, place)[0], false);
});

Deno.test("convert() truncates long values in errors to one line", () => {
  const [, error] = convert(int64, "x".repeat(1000), { kind: "query parameter", name: "n" });
  assertEquals((error?.message.length ?? 0) < 200, true);
});

Deno.test("convertOr() returns the default for missing and invalid values", () => {
  assertEquals([convertOr(int, "7", 1), convertOr(int, "x", 1), convertOr(int, undefined, 1)], [7, 1, 1]);
  assertEquals([convertOr(lenientBool, "", true), convertOr(bool, undefined, true)], [false, true]);
});
