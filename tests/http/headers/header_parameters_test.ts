import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import {
  readExtendedValue,
  readFormParameters,
  readHeaderParameters,
} from "../../../src/http/headers/header_parameters.ts";
import { assertLinear } from "../../growth.ts";
import { runs } from "../../runs.ts";

const parameterCases: Readonly<Record<string, [value: string, parameters: Record<string, string>] | null>> = {
  "": ["", {}],
  "form-data": ["form-data", {}],
  "Form-Data ; A=1;b = 2 ": ["form-data", { a: "1", b: "2" }],
  'x; a="1;2=3"; b': ["x", { a: "1;2=3" }],
  'x; a="say \\"hi\\""': ["x", { a: 'say "hi"' }],
  'x; a="\\\\"': ["x", { a: "\\" }],
  'x; a="C:\\dir\\new.txt"': ["x", { a: "C:\\dir\\new.txt" }],
  'x; a="foo\\"': ["x", { a: "foo\\" }],
  'x; a="foo\\" ; b=1': ["x", { a: "foo\\", b: "1" }],
  'x; a="foo\\"; b="bar"': ["x", { a: "foo\\", b: "bar" }],
  'x; a="foo\\"; b="bar\\"': ["x", { a: "foo\\", b: "bar\\" }],
  'x; a="1': null,
  'x; a="1"2': null,
  'x; a="1\\"2': null,
  "x; a=1; A=2": null,
  ";;;": ["", {}],
  "x;=1": ["x", { "": "1" }],
};

const formCases: Readonly<Record<string, [value: string, parameters: Record<string, string>] | null>> = {
  // Nothing indicates a spelling, so escape sequences are decoded if the value ends correctly.
  'x; a="\\\\"': ["x", { a: "\\" }],
  'x; a="say \\"hi\\""': ["x", { a: 'say "hi"' }],
  'x; a="foo\\"; b="bar\\"': ["x", { a: "foo\\", b: "bar\\" }],
  // A lone backslash indicates that no backslash is an escape character.
  'x; a="C:\\dir"; b="c\\\\d"': ["x", { a: "C:\\dir", b: "c\\\\d" }],
  'x; b="c\\\\d"; a="C:\\dir"': ["x", { a: "C:\\dir", b: "c\\\\d" }],
  'x; a="C:\\dir\\\\"': ["x", { a: "C:\\dir\\\\" }],
  'x; a="C:\\dir\\"; b="1"': ["x", { a: "C:\\dir\\", b: "1" }],
  // The same applies to a quote in the spelling of browsers.
  'x; a="say %22hi%22"; b="c\\\\d"': ["x", { a: "say %22hi%22", b: "c\\\\d" }],
  'x; b="c\\\\"; a="%22"': ["x", { a: "%22", b: "c\\\\" }],
  // A header that mixes both is read with the spelling that ends correctly.
  'x; a="C:\\dir \\"x\\" y"': ["x", { a: 'C:\\dir "x" y' }],
  'x; a="1\\"2': null,
};

for (const [text, expected] of Object.entries(formCases)) {
  Deno.test(`readFormParameters() reads ${JSON.stringify(text)}`, () => {
    const found = readFormParameters(text);
    assertEquals(found === null ? null : [found.value, { ...found.parameters }], expected);
  });
}

for (const [text, expected] of Object.entries(parameterCases)) {
  Deno.test(`readHeaderParameters() reads ${JSON.stringify(text)}`, () => {
    const found = readHeaderParameters(text);
    assertEquals(found === null ? null : [found.value, { ...found.parameters }], expected);
  });
}

// Input that is difficult to parse: delimiters, quotes, escape sequences and long runs of each.
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(";", "=", '"', "\\", " ", "\t", "a", "b", "A", '\\"', '="', '";'),
    fc.tuple(fc.constantFrom(";", "=", '"', "\\", " ", "a", '\\"', '";'), fc.integer({ min: 2, max: 50 })).map((
      [piece, count],
    ) => piece.repeat(count)),
  ),
  { maxLength: 12 },
).map((list) => list.join(""));

Deno.test("readHeaderParameters() agrees with a naive parser", () => {
  fc.assert(
    fc.property(pieces, (text) => {
      const found = readHeaderParameters(text);
      assertEquals(found === null ? null : [found.value, Object.entries(found.parameters)], obvious(text));
    }),
    { numRuns: runs(5000) },
  );
});

for (
  const [what, unit] of Object.entries({
    "semicolons": ";",
    "parameters without a value": "a;",
    "empty quotes": 'a=""b;',
    "open quotes": ';a="',
    "quotes that end in a backslash": ';a="\\"',
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "spaces": " ",
  })
) {
  Deno.test(`readHeaderParameters() takes linear time for many ${what}`, async () => {
    await assertLinear(readHeaderParameters, { size: 100_000, prepare: (size) => `x; z="${unit.repeat(size)}` });
    await assertLinear(readHeaderParameters, { size: 100_000, prepare: (size) => `x;${unit.repeat(size)}` });
  });
}

Deno.test("readHeaderParameters() takes linear time for many parameters", async () => {
  for (const value of ['""', '"\\"', "1", '"a\\\\"']) {
    const prepare = (size: number) => `x${Array.from({ length: size }, (_, i) => `; p${i}=${value}`).join("")}`;
    await assertLinear(readHeaderParameters, { size: 10_000, prepare });
  }
});

Deno.test("readExtendedValue() takes time linear in the length of its argument", async () => {
  for (const unit of ["'", "a'", "%41", "%", "-'-"]) {
    await assertLinear(readExtendedValue, { size: 100_000, prepare: (size) => `utf-8'${unit.repeat(size)}\n` });
  }
});

/** Parses the same by trying every split in turn. */
function obvious(text: string): [string, [string, string][]] | null {
  const [value = ""] = text.split(";");
  const found = new Map<string, string>();
  let rest = text.slice(value.length);
  while (rest !== "") {
    rest = rest.slice(1);
    const name = /^[^;=]*/.exec(rest)?.[0] ?? "";
    if (rest[name.length] !== "=") {
      rest = rest.slice(name.length);
      continue;
    }
    const key = name.trim().toLowerCase();
    if (found.has(key)) return null;
    rest = rest.slice(name.length + 1);
    const open = /^[ \t]*"/.exec(rest)?.[0];
    if (open === undefined) {
      const plain = /^[^;]*/.exec(rest)?.[0] ?? "";
      found.set(key, plain.trim());
      rest = rest.slice(plain.length);
      continue;
    }
    const inner = rest.slice(open.length);
    const escaped = /^((?:\\["\\]|[^"])*?)"[ \t]*(?=;|$)/.exec(unambiguous(inner));
    const literal = /^([^"]*)"[ \t]*(?=;|$)/.exec(inner);
    const match = escaped ?? literal;
    if (match === null) return null;
    found.set(key, match === escaped ? escapedText(inner) : match[1] ?? "");
    rest = inner.slice(match[0].length);
  }
  return [value.trim().toLowerCase(), [...found]];
}

/** Replaces escape sequences with letters of the same length, so that a quote always ends a value. */
function unambiguous(text: string): string {
  return text.replace(/\\["\\]/g, "xx");
}

function escapedText(inner: string): string {
  const length = unambiguous(inner).indexOf('"');
  return inner.slice(0, length).replace(/\\(["\\])/g, "$1");
}
