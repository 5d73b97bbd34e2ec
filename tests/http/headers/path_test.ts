import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { restoreSlashes } from "../../../src/base/text/path_value.ts";
import { decodePath, lowerASCII, trimFinalSlashes } from "../../../src/http/headers/path.ts";
import { assertLinear } from "../../growth.ts";

Deno.test("decodePath() decodes once and keeps escaped slashes", () => {
  assertEquals(decodePath("/a%20b/%C3%BC"), "/a b/ü");
  assertEquals(decodePath("/a%252F"), "/a%2F");
  const inner = decodePath("/a%2Fb%2f/c");
  assertEquals(inner?.split("/").length, 3);
  assertEquals(restoreSlashes(inner ?? ""), "/a/b//c");
});

Deno.test("decodePath() returns undefined for a malformed escape", () => {
  for (const path of ["%", "%a", "%zz", "%C3", "%C3%28", "%FF", "%ED%B0%AF"]) {
    assertEquals(decodePath(path), undefined, path);
  }
});

Deno.test("decodePath() decodes every encoded segment back to its original text", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (segments) => {
    const path = `/${segments.map((segment) => encodeURIComponent(segment)).join("/")}`;
    const parts = decodePath(path)?.split("/").slice(1).map(restoreSlashes);
    assertEquals(parts, segments);
  }));
});

Deno.test("lowerASCII() lowercases A to Z and keeps all positions", () => {
  assertEquals(lowerASCII("/ÄBC/İ/x"), "/Äbc/İ/x");
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      (text) => assertEquals(lowerASCII(text).length, text.length),
    ),
  );
});

Deno.test("trimFinalSlashes() removes only the slashes at the end", () => {
  const cases = { "": "", "/": "", "//": "", "/a": "/a", "/a/": "/a", "//a//b//": "//a//b" };
  for (const [path, expected] of Object.entries(cases)) assertEquals(trimFinalSlashes(path), expected, path);
});

for (const unit of ["/", "%2f", "%", "%41", "A", "a/"]) {
  Deno.test(`Paths with many "${unit}" take linear time`, async () => {
    for (const work of [trimFinalSlashes, decodePath, lowerASCII, restoreSlashes]) {
      await assertLinear(work, { size: 100_000, prepare: (size) => `${unit.repeat(size)}x` });
    }
  });
}
