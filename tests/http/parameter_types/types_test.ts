import { assertLinear } from "../../growth.ts";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { BUILTIN_TYPES } from "../../../src/http/parameter_types/types.ts";
import { Macros } from "../../../src/http/parameter_types/macros.ts";

const UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const LONG_LABEL = "a".repeat(64);

/** The accepted values with their conversions and the rejected values of each type. */
const TABLE: Record<string, { accepts: [string, unknown][]; refuses: string[] }> = {
  int8: {
    accepts: [["0", 0], ["-0", 0], ["+5", 5], ["127", 127], ["-128", -128], ["000127", 127], ["-00128", -128]],
    refuses: [
      "128",
      "-129",
      "+128",
      "",
      "-",
      "+",
      "--1",
      "+-1",
      "1-",
      "1.0",
      "1e1",
      " 1",
      "1 ",
      "0x1",
      "a",
      "١",
      "1_0",
    ],
  },
  uint8: {
    accepts: [["0", 0], ["255", 255], ["0000255", 255]],
    refuses: ["256", "-0", "-1", "+1", "", "25a", "1000"],
  },
  int16: { accepts: [["32767", 32767], ["-32768", -32768]], refuses: ["32768", "-32769", "99999", ""] },
  uint16: { accepts: [["65535", 65535]], refuses: ["65536", "+1", "-1", ""] },
  int32: {
    accepts: [["2147483647", 2147483647], ["-2147483648", -2147483648]],
    refuses: ["2147483648", "-2147483649"],
  },
  uint32: { accepts: [["4294967295", 4294967295]], refuses: ["4294967296", "-1"] },
  uint: {
    accepts: [["0", 0], ["9007199254740991", Number.MAX_SAFE_INTEGER]],
    refuses: ["9007199254740992", "9999999999999999", "+1", "-1", ""],
  },
  int: {
    accepts: [
      ["42", 42],
      ["+42", 42],
      ["-42", -42],
      ["-0", 0],
      ["9007199254740991", Number.MAX_SAFE_INTEGER],
      ["-9007199254740991", Number.MIN_SAFE_INTEGER],
    ],
    refuses: ["9007199254740992", "-9007199254740992", "9007199254740993", "", "-", "abc", "4.2", "Infinity", "NaN"],
  },
  int64: {
    accepts: [
      ["9223372036854775807", 9223372036854775807n],
      ["-9223372036854775808", -9223372036854775808n],
      ["+1", 1n],
      ["-042", -42n],
      ["-0", 0n],
      ["2147483647", 2147483647n],
      ["2147483648", 2147483648n],
      ["-2147483648", -2147483648n],
      ["-2147483649", -2147483649n],
    ],
    refuses: ["9223372036854775808", "-9223372036854775809", "10000000000000000000", "", "+", "1n"],
  },
  uint64: {
    accepts: [["18446744073709551615", 18446744073709551615n], ["0", 0n]],
    refuses: ["18446744073709551616", "99999999999999999999", "-0", "+1", ""],
  },
  bool: {
    accepts: [
      ...["1", "t", "T", "TRUE", "true", "True"].map((text): [string, unknown] => [text, true]),
      ...["0", "f", "F", "FALSE", "false", "False"].map((text): [string, unknown] => [text, false]),
    ],
    refuses: ["", "2", "tRUE", "yes", "on", "01", "truee", "fals"],
  },
  alphabetical: {
    accepts: [["a", "a"], ["Z", "Z"], ["Hello World", "Hello World"]],
    refuses: ["", "a1", "a_b", "é", "a\tb", "[", "`", "@", "{"],
  },
  file: {
    accepts: [["a.txt", "a.txt"], ["A-Z_0.9", "A-Z_0.9"], [".env", ".env"], ["...", "..."], ["x..", "x.."]],
    refuses: ["", ".", "..", "a b", "a/b", "a\\b", "é.txt", "a\0"],
  },
  uuid: {
    accepts: [[UUID, UUID], [UUID.toUpperCase(), UUID.toUpperCase()]],
    refuses: ["", UUID.slice(1), `${UUID}0`, UUID.replace("6", "g"), UUID.replaceAll("-", "_"), `{${UUID}}`],
  },
  mail: {
    accepts: [
      ["a@b", "a@b"],
      ["kataras2006@hotmail.com", "kataras2006@hotmail.com"],
      ["first.last+tag@sub.example.co", "first.last+tag@sub.example.co"],
      ["jürgen@müller.example", "jürgen@müller.example"],
      [`${"a".repeat(64)}@b.c`, `${"a".repeat(64)}@b.c`],
    ],
    refuses: [
      "",
      "@",
      "a@",
      "@b",
      "a",
      "a@b@c",
      "a b@c",
      "a@b c",
      ".a@b",
      "a.@b",
      "a..b@c",
      "a@b.",
      "a@.b",
      "a@b..c",
      "a@-b",
      "a@b-",
      "a@b_c",
      "a,b@c",
      "a\n@b",
      "a\u00a0b@c",
      '"a"@b',
      "a@b\u3000",
      `${"a".repeat(65)}@b.c`,
      `a@${LONG_LABEL}`,
      `a@${"b.".repeat(130)}c`,
    ],
  },
  date: {
    accepts: [
      ["2026-11-15", new Date(Date.UTC(2026, 10, 15))],
      ["2024-02-29", new Date(Date.UTC(2024, 1, 29))],
      ["2000-02-29", new Date(Date.UTC(2000, 1, 29))],
      ["0099-12-31", new Date("0099-12-31T00:00:00Z")],
    ],
    refuses: [
      "",
      "2026-11-31",
      "2026-02-29",
      "1900-02-29",
      "2026-00-10",
      "2026-13-10",
      "2026-10-00",
      "2026-1-1",
      "2026/11/15",
      "20261115",
      "2026-11-1x",
      "-026-11-15",
      "2026-11-15T00:00",
    ],
  },
  weekday: {
    accepts: [["Sunday", 0], ["monday", 1], ["Saturday", 6], ["0", 0], ["6", 6], ["003", 3]],
    refuses: ["", "7", "-1", "MONDAY", "sun", "sundays", "sUnday", "Monda"],
  },
  string: { accepts: [["a", "a"], ["é/ü", "é/ü"], [" ", " "]], refuses: [""] },
  path: { accepts: [["a", "a"], ["a/b/c", "a/b/c"]], refuses: [""] },
};

Deno.test("BUILTIN_TYPES accepts, converts and rejects the values in the table", () => {
  for (const type of BUILTIN_TYPES) {
    const row = TABLE[type.Name];
    assert(row, `no row for "${type.Name}"`);
    for (const [text, value] of row.accepts) {
      assert(type.Test(text, 0, text.length), `${type.Name} refuses "${text}"`);
      const converted = type.Convert ? type.Convert(text) : text;
      if (value instanceof Date) assertEquals(converted, value);
      else assertStrictEquals(converted, value);
    }
    for (const text of row.refuses) assert(!type.Test(text, 0, text.length), `${type.Name} accepts "${text}"`);
  }
  assertEquals(Object.keys(TABLE).length, BUILTIN_TYPES.length);
});

Deno.test("BUILTIN_TYPES reads only between start and end", () => {
  for (const type of BUILTIN_TYPES) {
    for (const [text] of TABLE[type.Name]?.accepts ?? []) {
      for (const around of ["/", "x", "9", "-", ".", "@"]) {
        assert(type.Test(around + text + around, 1, 1 + text.length), `${type.Name} looks beyond "${text}"`);
      }
    }
    for (const text of TABLE[type.Name]?.refuses ?? []) {
      for (const around of ["/", "x", "9", "a", ".", "-"]) {
        assert(!type.Test(around + text + around, 1, 1 + text.length), `${type.Name} looks beyond "${text}"`);
      }
    }
  }
});

Deno.test("BUILTIN_TYPES are found by name and by alias", () => {
  const macros = new Macros();
  const aliases = {
    boolean: "bool",
    number: "int",
    long: "int64",
    uuidv4: "uuid",
    email: "mail",
  };
  for (const [alias, name] of Object.entries(aliases)) assertEquals(macros.Get(alias)?.Name, name);
  for (const { Name } of BUILTIN_TYPES) assertEquals(macros.Get(Name)?.Name, Name);
});

Deno.test("BUILTIN_TYPES ranks a type before every type that includes all its values", () => {
  const bounds = ["127", "128", "255", "256", "32767", "65535", "2147483647", "4294967295"]
    .concat("9007199254740991", "9007199254740992", "9223372036854775807", "18446744073709551615");
  const pool = new Set([
    ...Object.values(TABLE).flatMap((row) => [...row.accepts.map(([text]) => text), ...row.refuses]),
    ...bounds.flatMap((bound) => [bound, `-${bound}`, `+${bound}`, `0${bound}`]),
    "-1",
    "7",
    "a b",
    "abc",
    "a-b",
  ]);
  let subsets = 0;
  for (const narrow of BUILTIN_TYPES) {
    const values = [...pool].filter((text) => narrow.Test(text, 0, text.length));
    for (const wide of BUILTIN_TYPES) {
      if (narrow === wide || (wide.Name === "string" && narrow.Name === "path")) continue;
      if (!values.every((text) => wide.Test(text, 0, text.length))) continue;
      subsets++;
      assert((narrow.Rank ?? 0) < (wide.Rank ?? 0), `"${narrow.Name}" does not come before "${wide.Name}"`);
    }
  }
  assert(subsets > 50, `only ${subsets} pairs were seen`);
  assertEquals(new Set(BUILTIN_TYPES.map((type) => type.Rank)).size, BUILTIN_TYPES.length);
});

Deno.test("BUILTIN_TYPES prefers integers to bool and weekday for digits", () => {
  const rank = (name: string) => new Macros().Get(name)?.Rank ?? 0;
  for (const wide of ["bool", "weekday"]) {
    for (const narrow of ["int", "int64", "uint64", "uint8"]) assert(rank(narrow) < rank(wide));
  }
  assertEquals([rank("string"), rank("path")], [900, 1000]);
});

Deno.test("BUILTIN_TYPES agrees with BigInt on random signed and unsigned digits", () => {
  const limits: Record<string, [bigint, bigint]> = {
    int8: [-128n, 127n],
    int16: [-32768n, 32767n],
    int32: [-(2n ** 31n), 2n ** 31n - 1n],
    int: [-(2n ** 53n) + 1n, 2n ** 53n - 1n],
    int64: [-(2n ** 63n), 2n ** 63n - 1n],
    uint8: [0n, 255n],
    uint16: [0n, 65535n],
    uint32: [0n, 2n ** 32n - 1n],
    uint: [0n, 2n ** 53n - 1n],
    uint64: [0n, 2n ** 64n - 1n],
  };
  const near = fc.constantFrom(...Object.values(limits).flat()).chain((limit) =>
    fc.bigInt({ min: -3n, max: 3n }).map((step) => limit + step)
  );
  const digits = fc.oneof(fc.stringMatching(/^[+-]?[0-9]{0,22}$/), fc.bigInt().map(String), near.map(String));
  const macros = new Macros();
  fc.assert(fc.property(digits, fc.nat(3), (text, zeros) => {
    const padded = text.replace(/^([+-]?)/, `$1${"0".repeat(zeros)}`);
    for (const [name, [low, high]] of Object.entries(limits)) {
      const shape = name.startsWith("u") ? /^[0-9]+$/ : /^[+-]?[0-9]+$/;
      const expected = shape.test(padded) && BigInt(padded) >= low && BigInt(padded) <= high;
      assertEquals(macros.Get(name)?.Test(`/${padded}/`, 1, 1 + padded.length), expected, `${name} "${padded}"`);
      if (expected) assertEquals(BigInt(String(macros.Get(name)?.Convert?.(padded))), BigInt(padded));
    }
  }));
});

Deno.test("BUILTIN_TYPES agrees with Date on random days", () => {
  const part = (most: number, width: number) => fc.nat(most).map((n) => String(n).padStart(width, "0"));
  const date = new Macros().Get("date");
  fc.assert(fc.property(part(9999, 4), part(14, 2), part(33, 2), (year, month, day) => {
    const text = `${year}-${month}-${day}`;
    const parsed = new Date(`${text}T00:00:00Z`);
    const real = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
    assertEquals(date?.Test(text, 0, text.length), real, text);
  }));
});

Deno.test("BUILTIN_TYPES checks long values in linear time", async () => {
  for (const type of BUILTIN_TYPES) {
    for (const unit of ["0", "a.", "a@", "-"]) {
      await assertLinear((text: string) => type.Test(text, 0, text.length), {
        size: 200_000,
        prepare: (size) => unit.repeat(size),
      });
    }
  }
});
