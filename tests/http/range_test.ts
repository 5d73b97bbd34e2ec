import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { parseRange } from "../../src/http/range.ts";

const cases: [header: string, size: number, expected: ReturnType<typeof parseRange>][] = [
  ["bytes=0-0", 10, [0, 0]],
  ["bytes=0-4", 10, [0, 4]],
  ["bytes=5-", 10, [5, 9]],
  ["bytes=9-", 10, [9, 9]],
  ["bytes=-3", 10, [7, 9]],
  ["bytes=-10", 10, [0, 9]],
  ["bytes=-100", 10, [0, 9]],
  ["bytes=0-100", 10, [0, 9]],
  ["bytes=0-9", 10, [0, 9]],
  ["bytes= 0 - 4 ", 10, [0, 4]],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=10-20", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-1", 0, "unsatisfiable"],
  ["bytes=4-2", 10, undefined],
  ["bytes=-", 10, undefined],
  ["bytes=", 10, undefined],
  ["", 10, undefined],
  ["bytes=a-b", 10, undefined],
  ["bytes=0-1,3-4", 10, undefined],
  ["items=0-1", 10, undefined],
  ["bytes=0x0-1", 10, undefined],
  ["bytes=--1", 10, undefined],
  ["bytes=1.5-2", 10, undefined],
  ["bytes=0-99999999999999999999999", 10, undefined],
];

for (const [header, size, expected] of cases) {
  Deno.test(`parseRange() reads "${header}" of ${size} bytes`, () => assertEquals(parseRange(header, size), expected));
}

Deno.test("parseRange() never leaves the file", () => {
  const number = fc.option(fc.nat(), { nil: "" });
  fc.assert(fc.property(number, number, fc.nat(), (first, last, size) => {
    const range = parseRange(`bytes=${first}-${last}`, size);
    if (!Array.isArray(range)) return;
    assertEquals(range[0] >= 0 && range[0] <= range[1] && range[1] < size, true);
  }));
});
