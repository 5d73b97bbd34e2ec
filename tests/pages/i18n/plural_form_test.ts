import { assertEquals } from "@std/assert";
import { isPluralForm, PluralRules } from "../../../src/pages/i18n/plural_form.ts";

Deno.test("PluralRules.choose() follows the CLDR rules of the language", () => {
  const forms = ["zero", "one", "two", "few", "many", "other"];
  const rows: [tag: string, forms: string[], counts: Record<number, string>][] = [
    ["en", ["one", "other"], { 0: "other", 1: "one", 2: "other", 21: "other" }],
    ["ru", ["one", "few", "many", "other"], { 1: "one", 2: "few", 5: "many", 21: "one", 0: "many" }],
    ["ar", forms, { 0: "zero", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other" }],
    ["ja", ["other"], { 0: "other", 1: "other" }],
    // "zero" and "two" are not categories in English. If they are given, they apply to these numbers.
    ["en", forms, { 0: "zero", 1: "one", 2: "two", 3: "other" }],
  ];
  for (const [tag, available, counts] of rows) {
    const rules = new PluralRules(tag);
    for (const [count, form] of Object.entries(counts)) {
      assertEquals(rules.choose(Number(count), available), form, `${tag} ${count}`);
    }
  }
});

Deno.test("PluralRules.choose() prefers comparisons, the narrowest first", () => {
  const rules = new PluralRules("en");
  const forms = ["one", "other", "=3", "<0", "<10", "<5", ">100", ">1000"];
  const rows: Record<number, string> = {
    3: "=3",
    1: "<5",
    7: "<10",
    50: "other",
    101: ">100",
    2000: ">1000",
    [-1]: "<0",
  };
  for (const [count, form] of Object.entries(rows)) assertEquals(rules.choose(Number(count), forms), form, count);
  assertEquals(rules.choose(5, ["one"]), undefined);
});

Deno.test("isPluralForm() distinguishes forms from other keys", () => {
  for (const key of ["zero", "other", "=3", "<5", ">100", "=1.5"]) assertEquals(isPluralForm(key), true, key);
  for (const key of ["home", "=", "=x", "ones", "<", ">=3"]) assertEquals(isPluralForm(key), false, key);
});
