import { assert, assertEquals } from "@std/assert";
import {
  hasPlainNames,
  isPlainName,
  nameKey,
  storableName,
  type System,
  unambiguousName,
} from "../../../src/base/text/file_name.ts";

const systems: readonly System[] = ["windows", "darwin", "linux"];
const devices = [
  "CON",
  "con.txt",
  "nul",
  "Aux.tar.gz",
  "prn .txt",
  "com1",
  "LPT9.x",
  "COM\u00b2",
  "CONIN$",
  "conout$.a",
];

for (const system of systems) {
  Deno.test(`isPlainName() accepts ordinary names on ${system}`, () => {
    for (const name of ["a.txt", ".env", "ENV~1", "\u00fcn\u00ef c\u00f6de", "console", "com10", "a..b", " a"]) {
      assert(isPlainName(name, system), name);
    }
  });

  Deno.test(`isPlainName() rejects separators, dots and control characters on ${system}`, () => {
    for (const name of ["", ".", "..", "a/b", "a\\b", "a\0", "a\n", "\x7f"]) assert(!isPlainName(name, system), name);
  });

  Deno.test(`isPlainName() ${system === "windows" ? "rejects" : "accepts"} names special to Windows on ${system}`, () => {
    for (const name of [...devices, "a.", "a ", "a. .", "a:b", "a::$DATA", "a?", "*", '"', "<a>", "a|b"]) {
      assertEquals(isPlainName(name, system), system !== "windows", name);
    }
  });
}

Deno.test("hasPlainNames() checks every name of a path on Windows", () => {
  const plain = ["C:\\a\\b.txt", "a/b", "./a", "..\\a", "\\\\?\\C:\\a", "//host/share/a", "c:a", ""];
  const odd = ["C:\\CON", "con/a", "a\\b:c", "C:/a/b.", "a?b"];
  for (const path of plain) assert(hasPlainNames(path, "windows"), path);
  for (const path of odd) {
    assert(!hasPlainNames(path, "windows"), path);
    assert(hasPlainNames(path, "linux") && hasPlainNames(path, "darwin"), path);
  }
});

Deno.test("unambiguousName() only changes names that denote another file on Windows", () => {
  for (const name of ["a.", "a. .", "a:b", "a::$DATA", ...devices]) {
    assert(isPlainName(unambiguousName(name), "windows"), name);
  }
  for (const name of ['a"b', "a?", "e\u0301", " a", "a b"]) assertEquals(unambiguousName(name), name);
});

Deno.test("unambiguousName() returns the same name for its result, or an empty string", () => {
  for (const name of ["a.", "...", " . ", "a::$DATA", ...devices, ...devices.map((each) => `${each}. `)]) {
    const plain = unambiguousName(name);
    assertEquals(unambiguousName(plain), plain);
    assert(plain === "" || isPlainName(plain, "windows"), name);
  }
});

Deno.test("storableName() replaces the characters that a system rejects", () => {
  assertEquals(storableName('a"b?c', "windows"), "a_b_c");
  for (const system of ["linux", "darwin"] as const) assertEquals(storableName('a"b?c', system), 'a"b?c');
});

Deno.test("unambiguousName() takes linear time for a long run of dots", () => {
  assertEquals(unambiguousName(`${". ".repeat(500_000)}a`).length, 1_000_001);
});

Deno.test("nameKey() is the same for names that differ in letter case or Unicode form only", () => {
  assertEquals(nameKey("\u00c9.TXT"), nameKey("e\u0301.txt"));
  assert(nameKey("a.txt") !== nameKey("b.txt"));
});
