import { readRange, readVersion } from "../../../src/hosts/versioning/range.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "@fw/web";

function matches(range: string, versions: readonly string[]): string[] {
  const test = readRange(range);
  return versions.filter((text) => {
    const version = readVersion(text);
    return version !== undefined && test(version);
  });
}

const versions = ["0.9.0", "1.0.0-beta.1", "1.0.0", "1.2.3", "1.8.7", "2.0.0", "2.0.3-beta.2", "3.1.1", "4.2.1"];

const rows: readonly (readonly [range: string, matched: readonly string[]])[] = [
  ["<1.0.0", ["0.9.0", "1.0.0-beta.1"]],
  ["<=1.0.0", ["0.9.0", "1.0.0-beta.1", "1.0.0"]],
  [">2.0.0", ["2.0.3-beta.2", "3.1.1", "4.2.1"]],
  [">=3.1.1", ["3.1.1", "4.2.1"]],
  ["1.0.0", ["1.0.0"]],
  ["=1.0.0", ["1.0.0"]],
  ["== 1.0.0", ["1.0.0"]],
  [">=1.0.0,<2.0.0 !1.2.3", ["1.0.0", "1.8.7"]],
  [">= 1.0.0 , < 2.0.0", ["1.0.0", "1.2.3", "1.8.7"]],
  [">1.0.0 <3.0.0 !=2.0.3-beta.2", ["1.2.3", "1.8.7", "2.0.0"]],
  ["<1.0.0 || >=3.0.0 !4.2.1", ["0.9.0", "1.0.0-beta.1", "3.1.1"]],
  ["1.x", ["1.0.0", "1.2.3", "1.8.7"]],
  [">=1.0.0<2.0.0", ["1.0.0", "1.2.3", "1.8.7"]],
  ["\t>=1.0.0\n<1.2.3+build", ["1.0.0"]],
  [">=2.0.3-beta.1 <2.0.3-beta.10", ["2.0.3-beta.2"]],
  ["1.2.x||4.X", ["1.2.3", "4.2.1"]],
  [">1.x", ["2.0.0", "2.0.3-beta.2", "3.1.1", "4.2.1"]],
  ["!=1.x <3.0.0", ["0.9.0", "1.0.0-beta.1", "2.0.0", "2.0.3-beta.2"]],
];

for (const [range, matched] of rows) {
  Deno.test(`readRange() matches "${range}"`, () => assertEquals(matches(range, versions), matched));
}

for (
  const range of [
    "",
    " ",
    "||",
    "1.0.0 ||",
    ">",
    "3.0",
    "v1.0.0",
    "01.0.0",
    ">=1.0.0 <",
    "1.0.0 | 2.0.0",
    ",>=1.0.0",
    ">=1.0.0,",
    ">=1.0.0,,<2.0.0",
    "=>1.0.0",
    "> = 1.0.0",
    "1.0.0 - 2.0.0",
    "*",
    "^1.0.0",
    "a",
    "1.x.3",
    ">=1.0.0;<2",
    "1.0.0 ".repeat(99),
  ]
) {
  Deno.test(`readRange() rejects "${range.slice(0, 20)}"`, () => {
    assertThrows(() => readRange(range), FrameworkError, "Cannot read the version range");
  });
}

Deno.test("readVersion() accepts only complete versions", () => {
  for (
    const text of [
      "",
      "3",
      "3.0",
      "v1.0.0",
      "=1.0.0",
      " 1.0.0",
      "1.0.0 ",
      "1.0.0-",
      "01.0.0",
      "1.0.0.0",
      "x",
      "9".repeat(300),
    ]
  ) {
    assertEquals(readVersion(text), undefined, text);
  }
  assertEquals(readVersion("1.2.3-rc.1+5")?.prerelease, ["rc", 1]);
});
