import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { Delimiter } from "../../../../src/http/body/multipart/delimiter.ts";
import { assertLinear, processorTime } from "../../../growth.ts";
import { runs } from "../../../runs.ts";

const encoder = new TextEncoder();

/** Returns the index of the first delimiter by trying every index. */
function obvious(bytes: Uint8Array, boundary: string): number {
  const text = new TextDecoder("latin1").decode(bytes);
  for (let at = 0; at < text.length; at++) {
    if (!text.startsWith(`\r\n--${boundary}`, at)) continue;
    const rest = text.slice(at + boundary.length + 4);
    if (rest.startsWith("--") || /^[ \t]{0,128}\r\n/.test(rest)) return at;
    // There are not enough bytes to decide.
    if (rest === "-" || /^[ \t]{0,128}\r?$/.test(rest)) return at;
  }
  return -1;
}

// Boundaries and content consist of few letters, so that there are many near misses.
const letters = fc.constantFrom("a", "b", "-");
const boundaries = fc.array(letters, { minLength: 1, maxLength: 6 }).map((list) => list.join(""));

Deno.test("Delimiter.find() agrees with a naive search", () => {
  fc.assert(
    fc.property(
      boundaries,
      fc.array(
        fc.oneof(letters, fc.constantFrom("\r", "\n", "\r\n", "\r\n-", "\r\n--", " ", "\t", "B", "B--", "\r\n--B")),
        { maxLength: 40 },
      ),
      (boundary, pieces) => {
        const bytes = encoder.encode(pieces.join("").replaceAll("B", boundary));
        const found = new Delimiter(boundary).find(bytes, 0, bytes.length);
        const expected = obvious(bytes, boundary);
        if (expected < 0) assertEquals(found.kind, "none");
        else assertEquals(found.at, expected);
      },
    ),
    { numRuns: runs(5000) },
  );
});

const shapes: Readonly<Record<string, readonly [boundary: string, unit: string]>> = {
  "the letter that its boundary ends in": [`b${"a".repeat(69)}`, "a"],
  "dashes": ["-".repeat(70), "-"],
  "starts of delimiters": ["a".repeat(70), "\r\n--aaaaaaaaaaaaa"],
  "delimiters but for their last letter": [`${"a".repeat(69)}b`, `\r\n--${"a".repeat(69)}c`],
  "delimiters inside lines": ["ab", "\r\n--abx"],
  "padded delimiters that end in nothing": ["ab", `\r\n--ab${" ".repeat(128)}x`],
  "carriage returns": ["a", "\r"],
  "line breaks": ["a", "\r\n"],
};

for (const [what, [boundary, unit]] of Object.entries(shapes)) {
  Deno.test(`Delimiter.find() takes linear time for content with ${what}`, async () => {
    const delimiter = new Delimiter(boundary);
    const prepare = (size: number) => encoder.encode(unit.repeat(size / unit.length));
    await assertLinear((bytes) => delimiter.find(bytes, 0, bytes.length), { size: 1 << 20, prepare });
  });
}

Deno.test("Delimiter.find() takes the same time for every boundary", () => {
  const bytes = new Uint8Array(8 << 20).fill("a".charCodeAt(0));
  const times = ["b", `b${"a".repeat(69)}`].map((boundary) => {
    const delimiter = new Delimiter(boundary);
    let best = Infinity;
    for (let run = 0; run < 7; run++) {
      const begin = processorTime();
      delimiter.find(bytes, 0, bytes.length);
      best = Math.min(best, processorTime() - begin);
    }
    return best;
  });
  // If letters were compared one by one at every index, the second search would take 70 times as long.
  const [short = 1, long = 0] = times;
  assertEquals(long < 20 * short, true, `${short.toFixed(1)} and ${long.toFixed(1)} ms`);
});
