import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { parseDate, wholeSeconds } from "../../../src/http/headers/date.ts";
import { assertLinear } from "../../growth.ts";

const moment = Date.UTC(1994, 10, 6, 8, 49, 37);
const today = Date.UTC(2026, 0, 1);

const cases: Readonly<Record<string, number | undefined>> = {
  "Sun, 06 Nov 1994 08:49:37 GMT": moment,
  "Sunday, 06-Nov-94 08:49:37 GMT": moment,
  "Sun Nov  6 08:49:37 1994": moment,
  "Sun Nov 16 08:49:37 1994": Date.UTC(1994, 10, 16, 8, 49, 37),
  // A two-digit year may be up to 50 years in the future.
  "Sunday, 06-Nov-76 08:49:37 GMT": Date.UTC(2076, 10, 6, 8, 49, 37),
  "Sunday, 06-Nov-77 08:49:37 GMT": Date.UTC(1977, 10, 6, 8, 49, 37),
  "Thu, 29 Feb 2024 00:00:00 GMT": Date.UTC(2024, 1, 29),
  "Sat, 31 Dec 2016 23:59:60 GMT": Date.UTC(2016, 11, 31, 23, 59, 59),
  "Thu, 29 Feb 2023 00:00:00 GMT": undefined,
  "Sun, 06 Nov 1994 24:00:00 GMT": undefined,
  "Sun, 06 Nov 1994 08:60:37 GMT": undefined,
  "Sun, 00 Nov 1994 08:49:37 GMT": undefined,
  "Sun, 06 Foo 1994 08:49:37 GMT": undefined,
  "Foo, 06 Nov 1994 08:49:37 GMT": undefined,
  "Sun, 06 Nov 1994 08:49:37": undefined,
  "Sun, 06 Nov 1994 08:49:37 UTC": undefined,
  "Sun, 06 Nov 1994 08:49:37 +0000": undefined,
  "Sun, 6 Nov 1994 08:49:37 GMT": undefined,
  "sun, 06 nov 1994 08:49:37 gmt": undefined,
  " Sun, 06 Nov 1994 08:49:37 GMT": undefined,
  "1994-11-06T08:49:37Z": undefined,
  "784111777": undefined,
  "9999": undefined,
  "1 1": undefined,
  "0": undefined,
  "": undefined,
};

for (const [text, expected] of Object.entries(cases)) {
  Deno.test(`parseDate() reads "${text}"`, () => assertEquals(parseDate(text, today), expected));
}

Deno.test("parseDate() reads back every date that is sent", () => {
  const dates = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true });
  fc.assert(fc.property(dates, (date) => assertEquals(parseDate(date.toUTCString()), wholeSeconds(date))));
});

Deno.test("parseDate() takes time linear in the length of its argument", async () => {
  for (const unit of ["1 ", " ", "Sun, ", "0"]) {
    await assertLinear((text: string) => parseDate(text), { size: 100_000, prepare: (size) => unit.repeat(size) });
  }
});
