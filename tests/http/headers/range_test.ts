import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { parseRanges } from "../../../src/http/headers/range.ts";
import { assertLinear } from "../../growth.ts";

const cases: [header: string, size: number, expected: ReturnType<typeof parseRanges>][] = [
  ["bytes=0-0", 10, [[0, 0]]],
  ["bytes=0-4", 10, [[0, 4]]],
  ["bytes=5-", 10, [[5, 9]]],
  ["bytes=9-", 10, [[9, 9]]],
  ["bytes=-3", 10, [[7, 9]]],
  ["bytes=-10", 10, [[0, 9]]],
  ["bytes=-100", 10, [[0, 9]]],
  ["bytes=0-100", 10, [[0, 9]]],
  ["bytes=0-9", 10, [[0, 9]]],
  ["Bytes=0-4", 10, [[0, 4]]],
  ["bytes= 0-4 ", 10, [[0, 4]]],
  ["bytes=0-1,3-4", 10, [[0, 1], [3, 4]]],
  ["bytes=3-4 ,\t0-1, -1", 10, [[3, 4], [0, 1], [9, 9]]],
  ["bytes=0-1,20-30", 10, [[0, 1]]],
  ["bytes=,,0-1,,", 10, [[0, 1]]],
  ["bytes=0-99999999999999999999999", 10, [[0, 9]]],
  ["bytes=-99999999999999999999999", 10, [[0, 9]]],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=10-20", 10, "unsatisfiable"],
  ["bytes=99999999999999999999999-", 10, "unsatisfiable"],
  ["bytes=10-,20-,-0", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-1", 0, "unsatisfiable"],
  ["bytes=4-2", 10, undefined],
  ["bytes=0-1,4-2", 10, undefined],
  ["bytes=-", 10, undefined],
  ["bytes=", 10, undefined],
  ["bytes=,", 10, undefined],
  ["bytes", 10, undefined],
  ["", 10, undefined],
  ["bytes=a-b", 10, undefined],
  ["bytes=0 - 4", 10, undefined],
  ["items=0-1", 10, undefined],
  ["bytes=0x0-1", 10, undefined],
  ["bytes=--1", 10, undefined],
  ["bytes=1.5-2", 10, undefined],
  ["bytes=0-1-2", 10, undefined],
  ["bytes=0-9,0-9", 10, undefined],
  ["bytes=0-,-1", 10, undefined],
  [`bytes=${"0-0,".repeat(100)}`, 1000, Array.from({ length: 100 }, () => [0, 0] as const)],
  [`bytes=${"0-0,".repeat(101)}0-0`, 1000, undefined],
];

for (const [header, size, expected] of cases) {
  Deno.test(`parseRanges() reads "${header.slice(0, 40)}" of ${size} bytes`, () => {
    assertEquals(parseRanges(header, size), expected);
  });
}

Deno.test("parseRanges() never exceeds the size of the file", () => {
  const number = fc.option(fc.nat(), { nil: "" });
  const spec = fc.tuple(number, number).map(([first, last]) => `${first}-${last}`);
  fc.assert(fc.property(fc.array(spec, { minLength: 1, maxLength: 5 }), fc.nat(), (specs, size) => {
    const ranges = parseRanges(`bytes=${specs.join(", ")}`, size);
    if (!Array.isArray(ranges)) return;
    for (const [first, last] of ranges) assertEquals(first >= 0 && first <= last && last < size, true);
    assertEquals(ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0) <= size, true);
  }));
});

for (const unit of [",", " ", "0", "-", "0-0,", "=", "0-"]) {
  Deno.test(`parseRanges() takes linear time for many "${unit}"`, async () => {
    await assertLinear((header: string) => parseRanges(header, 1000), {
      size: 100_000,
      prepare: (size) => `bytes=${unit.repeat(size)}x`,
    });
  });
}
