import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { canonicalTag, checkTag, LanguageMatcher, preferredLanguages } from "../../../src/pages/i18n/language_match.ts";

Deno.test("LanguageMatcher.match() finds the closest supported language", () => {
  const matcher = new LanguageMatcher(["en-US", "el-GR", "pt-BR", "pt-PT", "zh-Hans-CN", "sr-Latn"]);
  const rows: [asked: string, index: number][] = [
    ["en-US", 0],
    ["EN-us", 0],
    ["en_us", 0],
    ["en", 0],
    ["en-GB", 0],
    ["el", 1],
    ["ell", 1],
    ["pt", 2],
    ["pt-PT", 3],
    ["pt-AO", 3],
    ["zh", 4],
    ["zh-CN", 4],
    ["zh-TW", -1],
    ["sr", -1],
    ["sr-Latn-RS", 5],
    ["de", -1],
    ["", -1],
    ["about", -1],
    ["x".repeat(5000), -1],
    ["../etc", -1],
  ];
  for (const [asked, index] of rows) assertEquals(matcher.match(asked), index, asked);
});

Deno.test("LanguageMatcher.match() prefers a region whose variety is close", () => {
  const matcher = new LanguageMatcher(["en-US", "en-GB", "es-ES", "es-419", "pt-BR", "pt-PT", "zh-TW", "zh-HK", "nb"]);
  const rows: [asked: string, tag: string][] = [
    ["en", "en-US"],
    ["en-AU", "en-GB"],
    ["en-IN", "en-GB"],
    ["en-PR", "en-US"],
    ["es", "es-ES"],
    ["es-MX", "es-419"],
    ["es-AR", "es-419"],
    ["pt", "pt-BR"],
    ["pt-MZ", "pt-PT"],
    ["zh-Hant", "zh-TW"],
    ["zh-MO", "zh-HK"],
    ["no", "nb"],
    ["nb-NO", "nb"],
  ];
  for (const [asked, tag] of rows) assertEquals(matcher.match(asked), matcher.match(tag), asked);
});

Deno.test("LanguageMatcher.matchHeader() follows the weights of Accept-Language", () => {
  const matcher = new LanguageMatcher(["en-US", "el-GR", "de"]);
  const rows: [header: string, index: number][] = [
    ["el", 1],
    ["en;q=0.5, el;q=0.9", 1],
    ["fr, de;q=0.3, en;q=0.2", 2],
    ["de;q=0, en", 0],
    ["en;q=0, *", 1],
    ["en;q=0, el;q=0, de;q=0, *", -1],
    ["*", 0],
    ["fr;q=1, *;q=0.1", 0],
    ["fr", -1],
    ["", -1],
    [",".repeat(100_000), -1],
    [`${"fr,".repeat(50)}de`, -1],
  ];
  for (const [header, index] of rows) assertEquals(matcher.matchHeader(header), index, header.slice(0, 60));
  assertEquals(preferredLanguages("a;q=0.1, b, c;q=x"), ["b", "c", "a"]);
});

Deno.test("canonicalTag() accepts BCP 47 tags only", () => {
  assertEquals(canonicalTag("EL-gr"), "el-GR");
  assertEquals(canonicalTag("not a tag"), undefined);
  assertEquals(canonicalTag("a"), undefined);
  assertThrows(() => checkTag("klingon!"), FrameworkError, 'Cannot use the language "klingon!"');
});
