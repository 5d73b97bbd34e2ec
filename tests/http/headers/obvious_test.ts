/**
 * Compares every header parser to a slow and obvious one. The headers are assembled from known parts, with blanks and
 * unusual values in between, so the expected result is known.
 */

import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { chooseType } from "../../../src/http/headers/accept.ts";
import { chooseEncoding } from "../../../src/http/headers/accept_encoding.ts";
import { namesStrongTag, namesTag } from "../../../src/http/headers/entity_tags.ts";
import { readForwarded } from "../../../src/http/headers/forwarded.ts";
import { decodeEscapes } from "../../../src/http/headers/percent.ts";
import { readCookie } from "../../../src/http/response/cookies.ts";
import { assertLinear } from "../../growth.ts";

const blanks = fc.constantFrom("", "", " ", "\t", "  \t ");
const weight = fc.constantFrom(
  { text: "", value: 1 },
  { text: ";q=0", value: 0 },
  { text: "; Q = 0.5 ", value: 0.5 },
  { text: ";q=0.501", value: 0.501 },
  { text: ";level=1;q=1.000", value: 1 },
  { text: ";q=banana", value: 1 },
);

/** Returns the first item with the highest weight, or `undefined` if no weight is above zero. */
function heaviest<T>(offered: readonly T[], weightOf: (each: T) => number): T | undefined {
  const most = Math.max(...offered.map(weightOf));
  return most > 0 ? offered.find((each) => weightOf(each) === most) : undefined;
}

Deno.test("chooseType() respects the weights of the client", () => {
  const offered = ["text/plain", "application/json", "text/html"];
  const range = fc.record({
    media: fc.constantFrom(...offered, "text/*", "*/*", "application/*", "image/png", "TEXT/HTML"),
    weight,
    before: blanks,
    after: blanks,
  });
  fc.assert(
    fc.property(fc.uniqueArray(range, { selector: ({ media }) => media.toLowerCase(), maxLength: 6 }), (ranges) => {
      const header = ranges.map(({ media, weight, before, after }) => before + media + after + weight.text).join(",");
      const weightOf = (media: string) => {
        const names = [media, `${media.split("/")[0]}/*`, "*/*"];
        const closest = names.flatMap((name) => ranges.filter((range) => range.media.toLowerCase() === name)).at(0);
        return closest?.weight.value ?? 0;
      };
      assertEquals(chooseType(header, offered), heaviest(offered, weightOf) ?? "text/plain", header);
    }),
  );
});

Deno.test("chooseEncoding() respects the weights of the client", () => {
  const offered = ["zstd", "br", "gzip"];
  const coding = fc.record({
    name: fc.constantFrom(...offered, "identity", "*", "deflate", "BR"),
    weight,
    before: blanks,
    after: blanks,
  });
  fc.assert(
    fc.property(fc.uniqueArray(coding, { selector: ({ name }) => name.toLowerCase(), maxLength: 6 }), (codings) => {
      const header = codings.map(({ name, weight, before, after }) => before + name + after + weight.text).join(",");
      const said = (name: string) => codings.find((each) => each.name.toLowerCase() === name)?.weight.value;
      const weightOf = (name: string) => said(name) ?? said("*") ?? 0;
      const bare = said("identity") ?? (said("*") === 0 ? 0 : undefined);
      const best = heaviest(offered, weightOf);
      const isBest = best !== undefined && weightOf(best) >= (bare ?? 0);
      assertEquals(chooseEncoding(header, offered), isBest ? best : bare === 0 ? undefined : "", header);
    }),
  );
});

Deno.test("namesTag() and namesStrongTag() find only tags in the list", () => {
  const text = fc.constantFrom("", "a", "b", "a,b", ", W/", "*", "a ", "W/a");
  const tag = fc.record({ text, isWeak: fc.boolean(), before: blanks, after: blanks });
  fc.assert(fc.property(fc.array(tag, { maxLength: 5 }), text, fc.boolean(), (tags, wanted, isWeak) => {
    const write = (each: { text: string; isWeak: boolean }) => `${each.isWeak ? "W/" : ""}"${each.text}"`;
    const header = tags.map((each) => each.before + write(each) + each.after).join(",");
    const sent = write({ text: wanted, isWeak });
    const same = tags.filter((each) => each.text === wanted);
    assertEquals(namesTag(header, sent), same.length > 0, header);
    assertEquals(namesStrongTag(header, sent), !isWeak && same.some((each) => !each.isWeak), header);
  }));
});

Deno.test("readForwarded() returns the values of each proxy", () => {
  const value = fc.constantFrom("a", "[2001:db8::1]:80", 'say "hi"', "a,b;proto=c", "back\\slash", 'x\\"y');
  const hop = fc.record({ for: value, proto: value, host: value }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(hop, { minLength: 1, maxLength: 4 }), blanks, (hops, blank) => {
    const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
    const write = (each: object) =>
      Object.entries(each).map(([name, text]) => `${name}=${quote(text)}`).join(`${blank};`);
    const header = hops.map(write).join(`,${blank}`);
    assertEquals(readForwarded(header), hops.map((each) => ({ for: "", proto: "", host: "", ...each })), header);
  }));
});

Deno.test("decodeEscapes() decodes as the platform decodes the values of a query", () => {
  const piece = fc.constantFrom(
    "%",
    "%4",
    "%41",
    "%g1",
    "%c3",
    "%a9",
    "%C3%A9",
    "%ff",
    "%00",
    "é",
    "😀",
    "%f0%9f",
    "a",
    "%%",
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const text = pieces.join("");
    assertEquals(decodeEscapes(text), new URLSearchParams(`text=${text}`).get("text"), text);
  }));
});

Deno.test("readCookie() returns the first value of a name", () => {
  const pair = fc.record({
    name: fc.constantFrom("id", "ID", "__Host-id", "other", "\u00a0id"),
    value: fc.constantFrom("", "1", "a=b", "%41", "two words", '"quoted"'),
    before: blanks,
    after: blanks,
  });
  const noise = fc.constantFrom("", "=", "=x", "alone", ";;");
  fc.assert(fc.property(fc.array(pair, { maxLength: 5 }), noise, (pairs, noise) => {
    const header = [noise, ...pairs.map(({ name, value, before, after }) => `${before}${name}=${value}${after}`)].join(
      ";",
    );
    const headers = new Headers({ cookie: header });
    const [first] = pairs.filter(({ name }) => name === "id");
    assertEquals(readCookie(headers, "id"), first === undefined ? "" : first.value.replace("%41", "A"), header);
  }));
});

const hostile: readonly [name: string, read: (text: string) => unknown, pieces: readonly string[]][] = [
  ["chooseType()", (text) => chooseType(text, ["text/html"]), [",", ";", " ", "*/*;q=0.", "a/b;q=1 x,"]],
  ["chooseEncoding()", (text) => chooseEncoding(text, ["gzip"]), [",", ";", " ", "gzip;q =", "br;q=1 x,"]],
  ["namesTag()", (text) => namesTag(text, '"x"'), [",", " ", '"', 'W/"', '"a" ', "W/,"]],
  ["namesStrongTag()", (text) => namesStrongTag(text, '"x"'), [",", " ", '"', 'W/"', '"a" ', "W/,"]],
  ["readForwarded()", readForwarded, [",", ";", '"', '\\"', 'for="', "for=a,", "=", " "]],
  ["decodeEscapes()", decodeEscapes, ["%", "%4", "%%41", "%c3", "é%"]],
  [
    "readCookie()",
    (text) => readCookie(new Headers({ cookie: text }), "id"),
    [";", "=", " ", "id", "a=b; "],
  ],
];

for (const [name, read, pieces] of hostile) {
  for (const piece of pieces) {
    Deno.test(`${name} takes at most linear time for many repetitions of "${piece}"`, async () => {
      await assertLinear(read, { size: 50_000, prepare: (size) => piece.repeat(size) });
    });
  }
}
