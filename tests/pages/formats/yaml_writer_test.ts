import { assertEquals } from "@std/assert";
import { stringify } from "@std/yaml/stringify";
import { toYAML } from "../../../src/pages/formats/yaml_writer.ts";

/** Writes a value with the standard library, as a reference. */
function expected(value: unknown): string {
  return stringify(value, { useAnchors: false, lineWidth: -1 });
}

const texts = [
  ..."~ null Null NULL true False TRUE y N yes No ON off << . .. ... - + _ = 0 00 08 0_7 0_ 0b 0b1 0b_ 0b2 0x 0xF_f 0xg"
    .split(" "),
  ..."1 -1 +1 1_000 1_ 1. 1.5 .5 ._5 5e3 5E3 1.e+2 .5e-3 -.inf .Inf +.INF .nan .NaN 1e 0o7 +0x1 -0 1:30 12_ _1".split(
    " ",
  ),
  ..."2020-01-01 2020-1-1 2020-01-01T10:00:00Z a:b a#b #a a,b [a a] {a} &a *a !a |a >a 'a \"a %a @a `a ?a -a a- a' a\"b a\\b"
    .split(" "),
  ..."é 日本 🍵 a🍵 \u0085 \u00a0 \u2028 \u2029 \ufeff \ud800 a\udc00 \ufffe \x7f \x80".split(" "),
  "",
  " ",
  " a",
  "a ",
  "a b",
  "a\tb",
  "\ta",
  "a\t",
  "a\0b",
  "a\rb",
  '\x07\b\v\f\x1b"\\\u0001\u0100\u{1f375}',
  "a\nb",
  "a\n",
  "a\n\n",
  "\n",
  "\n\n",
  "\na",
  " a\nb",
  "\n a",
  "a\n\n b\n",
  "a\n \n",
  "a\r\nb",
  "a\tb\nc",
  "\u{1f375}\n\u{1f375}",
  "a\n\ud800",
  "a: b\n- c",
  "k".repeat(1023),
  "k".repeat(1025),
  "<",
  "<<<",
  "1 2",
  "Infinity",
  "__proto__",
];

const numbers = [0, 1, -1, 1.5, 1e21, -1e21, 1e-7, 5e-100, -5e-100, 1.5e-9, 1e300, 123456789012345, 2 ** 53];

Deno.test("toYAML() writes every string, number and key like the standard library", () => {
  for (const value of [...texts, ...numbers, true, false, null, [], {}]) {
    assertEquals(toYAML(value), expected(value), JSON.stringify(value));
    assertEquals(toYAML([value]), expected([value]), JSON.stringify([value]));
    assertEquals(toYAML({ a: { b: value } }), expected({ a: { b: value } }), JSON.stringify({ a: { b: value } }));
    if (typeof value !== "string") continue;
    const keyed = JSON.parse(`{${JSON.stringify(value)}:[{"x":{"y":1,"z":[[1,[]],{}]}}]}`);
    assertEquals(toYAML([keyed]), expected([keyed]), JSON.stringify(keyed));
  }
});

Deno.test("toYAML() writes nested values like the standard library", () => {
  // The numbers are the same in every run.
  let seed = 7;
  const random = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % most;
  const value = (depth: number): unknown => {
    const kind = random(depth > 4 ? 4 : 8);
    if (kind < 3) return texts[random(texts.length)];
    if (kind === 3) return [true, null, ...numbers][random(numbers.length + 2)];
    const items = Array.from({ length: random(4) }, () => value(depth + 1));
    return kind < 6 ? items : Object.fromEntries(items.map((item) => [texts[random(texts.length)], item]));
  };
  for (let at = 0; at < 1_000; at++) {
    const each = value(0);
    assertEquals(toYAML(each), expected(each), JSON.stringify(each));
  }
});
