import { assertEquals } from "@std/assert";
import { Tokenizer } from "../../../src/base/signature/js_tokenizer.ts";

function tokensOf(text: string): string[] {
  const tokenizer = new Tokenizer(text);
  const found: string[] = [];
  for (let token = tokenizer.next(); token.kind !== "end"; token = tokenizer.next()) {
    found.push(`${token.kind} ${token.text}`);
  }
  return found;
}

function textsOf(text: string): string[] {
  return tokensOf(text).map((token) => token.slice(token.indexOf(" ") + 1));
}

Deno.test("Tokenizer skips white space and both kinds of comments", () => {
  assertEquals(textsOf("a /* ) */ , // ( \n b\u2028c"), ["a", ",", "b", "c"]);
});

Deno.test("Tokenizer distinguishes numbers from bigints in every notation", () => {
  const numbers = ["0", "1_000", "1e3", "1.5e-3", ".5", "5.", "0xfF", "0o17", "0b11"];
  for (const text of numbers) assertEquals(tokensOf(text), [`number ${text}`]);
  for (const text of ["0n", "12_3n", "0xffn"]) assertEquals(tokensOf(text), [`bigint ${text}`]);
});

Deno.test("Tokenizer reads a string with its quotes and escapes as one token", () => {
  assertEquals(tokensOf(String.raw`'it\'s' "a)\"b" '\\'`), [
    String.raw`string 'it\'s'`,
    String.raw`string "a)\"b"`,
    String.raw`string '\\'`,
  ]);
});

Deno.test("Tokenizer reads a template with nested templates, braces and strings as one token", () => {
  const template = "`a${ {b: `c${\"}\"}`, d: '`'} }\\`e`";
  assertEquals(tokensOf(`${template},x`), [`template ${template}`, "punctuation ,", "name x"]);
});

Deno.test("Tokenizer distinguishes a regular expression from a division", () => {
  const cases: [string, string[]][] = [
    ["a / b / c", ["a", "/", "b", "/", "c"]],
    ["(a) / b / c", ["(", "a", ")", "/", "b", "/", "c"]],
    ["a[0] / 2 / 3", ["a", "[", "0", "]", "/", "2", "/", "3"]],
    ["a++ / b / c", ["a", "++", "/", "b", "/", "c"]],
    ["= /[/)]\\//g.x", ["=", "/[/)]\\//g", ".", "x"]],
    ["f(/,/)", ["f", "(", "/,/", ")"]],
    ["typeof /)/", ["typeof", "/)/"]],
    ["a.typeof / b / c", ["a", ".", "typeof", "/", "b", "/", "c"]],
    ["if (a) /)/.test(b)", ["if", "(", "a", ")", "/)/", ".", "test", "(", "b", ")"]],
    ["=> { a } /)/", ["=>", "{", "a", "}", "/)/"]],
    ["else { } /)/", ["else", "{", "}", "/)/"]],
    ["= {} / b / c", ["=", "{", "}", "/", "b", "/", "c"]],
    ["`a` / b / c", ["`a`", "/", "b", "/", "c"]],
  ];
  for (const [text, expected] of cases) assertEquals(textsOf(text), expected, text);
});

Deno.test("Tokenizer distinguishes optional chaining from a conditional with a fraction", () => {
  assertEquals(textsOf("a?.b"), ["a", "?.", "b"]);
  assertEquals(textsOf("a?.5:1"), ["a", "?", ".5", ":", "1"]);
});

Deno.test("Tokenizer reads names with number signs, dollar signs, escapes and any Unicode letters", () => {
  assertEquals(tokensOf("#a $b_1 \\u0061b größe 名"), [
    "name #a",
    "name $b_1",
    "name \\u0061b",
    "name größe",
    "name 名",
  ]);
});

Deno.test("Tokenizer terminates on truncated source text", () => {
  for (const text of ["`a${b", "`a${`", "'a", "/* a", "a\\", "`\\"]) {
    assertEquals(tokensOf(text).length < 5, true, text);
  }
});
