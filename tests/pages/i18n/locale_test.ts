import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Locale, type Messages } from "../../../src/pages/i18n/locale.ts";

function locale(messages: Messages, tag = "en-US"): Locale {
  const created = new Locale(tag, 0, { uppercase: (text: string) => text.toUpperCase() });
  created.add(messages);
  return created;
}

Deno.test("Locale.GetMessage() formats printf verbs", () => {
  const { GetMessage } = bound(locale({
    hi: "Hello, %s",
    order: "%[2]s before %[1]s",
    rate: "%.1f%% of %d",
    sure: "100% sure",
  }));
  assertEquals(GetMessage("hi", "Ada"), "Hello, Ada");
  assertEquals(GetMessage("order", "a", "b"), "b before a");
  assertEquals(GetMessage("rate", 12.34, 5), "12.3% of 5");
  assertEquals(GetMessage("sure"), "100% sure");
  assertEquals(GetMessage("hi", "Ada", "and", "more"), "Hello, Ada");
  assertEquals(GetMessage("missing"), "");
});

Deno.test("Locale.GetMessage() fills in named values and calls functions", () => {
  const { GetMessage } = bound(locale({
    hi: "Hello {{.Name}}, 100% {{ .User.Mood }}",
    plain: "Hello {{name}}",
    shout: '{{uppercase (tr "word.tea")}} for {{uppercase .Name}}',
    word: { tea: "tea" },
    join: "{{call .Join .Names}}",
    price: '{{currency .Price "EUR"}} or {{number .Price 0}}',
    day: '{{date .When "long"}}',
  }));
  assertEquals(GetMessage("hi", { Name: "Ada", User: { Mood: "awake" } }), "Hello Ada, 100% awake");
  assertEquals(GetMessage("hi", { Name: "Ada" }), "Hello Ada, 100% ");
  assertEquals(GetMessage("plain", { name: "Ada" }), "Hello Ada");
  assertEquals(GetMessage("shout", { Name: "Ada" }), "TEA for ADA");
  assertEquals(GetMessage("join", { Join: (names: string[]) => names.join("+"), Names: ["a", "b"] }), "a+b");
  assertEquals(GetMessage("price", { Price: 1234.5 }), "€1,234.50 or 1,235");
  assertEquals(GetMessage("day", { When: new Date(2026, 10, 15) }), "November 15, 2026");
});

Deno.test("Locale.GetMessage() formats dates and numbers in its language", () => {
  const { GetMessage } = bound(locale({ price: "{{number .Price}}", list: "{{list .Names}}" }, "de-DE"));
  assertEquals(GetMessage("price", { Price: 1234.5 }), "1.234,5");
  assertEquals(GetMessage("list", { Names: ["A", "B", "C"] }), "A, B und C");
});

Deno.test("Locale.GetMessage() reads own properties only", () => {
  const { GetMessage } = bound(locale({ leak: "[{{.constructor}}{{.__proto__}}{{.toString.constructor}}]" }));
  assertEquals(GetMessage("leak", {}), "[]");
});

Deno.test("Locale.GetMessage() chooses plural forms and the forms of variables", () => {
  const { GetMessage } = bound(locale({
    Vars: [
      { Minutes: { one: "minute", other: "minutes", format: "%d" } },
      { Dogs: { "=5": "dogsssss", one: "dog", other: "dogs" } },
      { Houses: { one: "house", other: "houses" } },
      { Gender: { "=1": "She", "=2": "He" } },
    ],
    YouLate: "You are %[1]d ${Minutes} late.",
    FreeDay: {
      "=3": "You have three days and %[2]d ${Minutes} off.",
      one: "You have a day off",
      other: "You have %[1]d free days",
    },
    HouseCount: "${Gender} (%[3]s) has %[2]d ${Houses}",
    HeIsHome: "%s is home",
    VarTemplate: '(${Gender}) {{tr "HeIsHome" .Name}}',
    VarTemplatePlural: {
      one: "${Gender} is awesome",
      other: "other (${Gender}) has %[3]d ${Houses}",
      "=5": "{{call .InlineJoin .Names}} are awesome",
    },
    TemplateVarTemplatePlural: {
      other: "These {{.PluralCount}} are wonderful, feeding {{.DogsCount}} ${Dogs} in total!",
    },
    Local: { Text: "${Gender} has %[2]d ${Houses}", Vars: [{ Gender: { "=3": "She", "=4": "He" } }] },
    Unknown: "keeps ${Nothing}",
  }));
  assertEquals(GetMessage("YouLate", 1), "You are 1 minute late.");
  assertEquals(GetMessage("YouLate", 2), "You are 2 minutes late.");
  assertEquals(GetMessage("FreeDay", 1), "You have a day off");
  assertEquals(GetMessage("FreeDay", 5), "You have 5 free days");
  assertEquals(GetMessage("FreeDay", 3, 15), "You have three days and 15 minutes off.");
  assertEquals(GetMessage("FreeDay"), "");
  assertEquals(GetMessage("HouseCount", 1, 2, "Maria"), "She (Maria) has 2 houses");
  assertEquals(GetMessage("HouseCount", 2, 1, "Peter"), "He (Peter) has 1 house");
  assertEquals(GetMessage("VarTemplate", { Name: "Peter", GenderCount: 2 }), "(He) Peter is home");
  assertEquals(GetMessage("VarTemplatePlural", 1, 1), "She is awesome");
  assertEquals(GetMessage("VarTemplatePlural", 2, 1, 5), "other (She) has 5 houses");
  const names = { PluralCount: 5, Names: ["Makis", "Peter"], InlineJoin: (all: string[]) => all.join(", ") };
  assertEquals(GetMessage("VarTemplatePlural", names), "Makis, Peter are awesome");
  assertEquals(
    GetMessage("TemplateVarTemplatePlural", { PluralCount: 3, DogsCount: 5 }),
    "These 3 are wonderful, feeding 5 dogsssss in total!",
  );
  assertEquals(GetMessage("Local.Text", 3, 1), "She has 1 house");
  assertEquals(GetMessage("Unknown", 1), "keeps ${Nothing}");
});

Deno.test("Locale.GetMessage() fails if translations refer to one another without end", () => {
  const { GetMessage } = bound(locale({ a: '{{tr "b"}}', b: '{{tr "a"}}' }));
  assertThrows(() => GetMessage("a"), FrameworkError, "it refers to itself");
});

Deno.test("Locale.add() reports the key of a translation that cannot be parsed", () => {
  assertThrows(
    () => locale({ nav: { home: '{{tr "x}}' } }),
    FrameworkError,
    'Cannot load the translation "nav.home" (en-US)',
  );
  assertThrows(() => locale({ a: 5 } as unknown as Messages), FrameworkError, '"a" (en-US): it is not a string');
});

/** Returns the method bound to its object, for short rows. */
function bound(locale: Locale): { GetMessage(key: string, ...args: unknown[]): string } {
  return { GetMessage: (key, ...args) => locale.GetMessage(key, ...args) };
}
