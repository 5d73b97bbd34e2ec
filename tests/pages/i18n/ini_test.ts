import { assertEquals, assertThrows } from "@std/assert";
import { parseINI } from "../../../src/pages/i18n/read_messages.ts";

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

Deno.test("parseINI() reads keys, sections, quotes and comments", () => {
  const text = [
    "; comment",
    "# comment",
    "a = x",
    "b=a=b",
    "c : colon",
    'd = " kept "',
    "e = 'it''s'",
    'f = "line\\nbreak"',
    'g = "C:\\path"',
    "h =",
    "[ user ]",
    "name = Name",
    "[user.profile]",
    "title = Title",
    "[user]",
    "more = More",
  ].join("\r\n");
  assertEquals(plain(parseINI(text)), {
    a: "x",
    b: "a=b",
    c: "colon",
    d: " kept ",
    e: "it''s",
    f: "line\nbreak",
    g: "C:\\path",
    h: "",
    user: { name: "Name", profile: { title: "Title" }, more: "More" },
  });
});

Deno.test("parseINI() keeps semicolons and number signs inside values", () => {
  const text = "a = Tom &amp; Jerry; see #1\nb = https://example.com/?a=1;b=2#top\nc = 100% {{.x}} # not a comment";
  assertEquals(plain(parseINI(text)), {
    a: "Tom &amp; Jerry; see #1",
    b: "https://example.com/?a=1;b=2#top",
    c: "100% {{.x}} # not a comment",
  });
});

Deno.test("parseINI() treats names such as __proto__ like any other", () => {
  const read = parseINI("__proto__ = 1\n[constructor]\nprototype = 2");
  assertEquals(Object.keys(read), ["__proto__", "constructor"]);
  assertEquals(({} as Record<string, unknown>)["prototype"], undefined);
});

Deno.test("parseINI() reports the line of an error", () => {
  assertThrows(() => parseINI("a = 1\nno value"), SyntaxError, "Line 2");
  assertThrows(() => parseINI("= 1"), SyntaxError, "Line 1");
  assertThrows(() => parseINI("a = 1\n[a]\nb = 2"), SyntaxError, 'Line 2 uses the key "a" as a section');
});
