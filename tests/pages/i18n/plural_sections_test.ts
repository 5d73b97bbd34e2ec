import { FrameworkError } from "@fw/web";
import { type Messages, MissingKeys, Typed } from "@fw/web/i18n";
import { assertEquals, assertRejects } from "@std/assert";
import { Locale } from "../../../src/pages/i18n/locale.ts";

function english(messages: Messages): Locale {
  const locale = new Locale("en", 0);
  locale.add(messages);
  return locale;
}

Deno.test("Locale.add() keeps the keys of sections that are named like plural forms", () => {
  const names = ["zero", "one", "two", "few", "many", "other"];
  for (const name of names) {
    const rows: readonly Messages[] = [
      { nav: { [name]: "text" } },
      { nav: { [name]: "text", home: "Home" } },
      { nav: { [name]: "text", nested: { a: "A" } } },
    ];
    for (const messages of rows) assertEquals(english(messages).GetMessage(`nav.${name}`), "text", name);
    assertEquals(english({ [name]: "text" }).GetMessage(name), "text");
    assertEquals(english({ [name]: { title: "text" } }).GetMessage(`${name}.title`), "text");
    assertEquals(english({ nav: { [name]: { title: "text" } } }).GetMessage(`nav.${name}.title`), "text");
    assertEquals(english({ nav: { [name]: { one: "%d x", other: "%d xs" } } }).GetMessage(`nav.${name}`, 2), "2 xs");
  }
});

Deno.test("Locale.add() reads an object with plural forms as one translation, whose forms also have keys", () => {
  const locale = english({
    dogs: { one: "%d dog", other: "%d dogs" },
    cats: { "=0": "no cats", one: "a cat" },
    steps: { one: "First", two: "Second" },
    payment: { card: "Card", other: "Other" },
  });
  assertEquals([0, 1, 2].map((count) => locale.GetMessage("dogs", count)), ["0 dogs", "1 dog", "2 dogs"]);
  assertEquals(locale.GetMessage("cats", 0), "no cats");
  assertEquals(locale.GetMessage("dogs.other", 5), "5 dogs");
  assertEquals([locale.GetMessage("steps.one"), locale.GetMessage("steps.two")], ["First", "Second"]);
  assertEquals([locale.GetMessage("payment.card"), locale.GetMessage("payment.other")], ["Card", "Other"]);
  assertEquals(locale.Keys(), ["cats", "dogs", "payment.card", "payment.other", "steps.one", "steps.two"]);
});

Deno.test("Locale.add() keeps plural forms next to other keys", () => {
  const locale = english({ dogs: { title: "Dogs", one: "%d dog", other: "%d dogs" } });
  assertEquals([locale.GetMessage("dogs", 2), locale.GetMessage("dogs.title")], ["2 dogs", "Dogs"]);
});

Deno.test("MissingKeys() does not compare the plural forms of languages", async () => {
  const missing = await MissingKeys({
    en: { dogs: { one: "%d dog", other: "%d dogs" }, steps: { one: "First", two: "Second" } },
    pl: { dogs: { one: "%d pies", few: "%d psy", many: "%d psów", other: "%d psa" }, steps: { one: "Pierwszy" } },
  });
  assertEquals(missing, [{ Language: "pl", Key: "steps.two" }]);
});

Deno.test("Typed() accepts the keys of plural forms and of sections that are named like them", () => {
  const tr = Typed({ dogs: { one: "1", other: "2" }, steps: { one: "First" } });
  const ctx = { Tr: (key: string) => key };
  assertEquals([tr(ctx, "dogs", 1), tr(ctx, "dogs.other"), tr(ctx, "steps.one")], ["dogs", "dogs.other", "steps.one"]);
});

const at = Date.UTC(2026, 0, 31, 22, 30);

Deno.test("Locale formats dates in a time zone", () => {
  const rows: Record<string, string> = {
    '{{datetime .At "short" "Asia/Tokyo"}}': "2/1/26, 7:30 AM",
    '{{datetime .At "Asia/Tokyo" "short"}}': "2/1/26, 7:30 AM",
    '{{datetime .At "Asia/Tokyo"}}': "Feb 1, 2026, 7:30 AM",
    '{{time .At "Asia/Tokyo"}}': "7:30 AM",
    '{{date .At "Asia/Tokyo"}}': "Feb 1, 2026",
    '{{date .At "+09:00"}}': "Feb 1, 2026",
    "{{date .At .Zone}}": "Feb 1, 2026",
    '{{date .At ""}}': "Jan 31, 2026",
    "{{datetime .At}}": "Jan 31, 2026, 10:30 PM",
    // A date without a time is the same day everywhere.
    '{{date .Day "America/New_York"}}': "Jan 31, 2026",
    '[{{date .Nothing}}{{number .Nothing}}{{currency .Null "EUR"}}]': "[]",
  };
  const locale = new Locale("en", 0, {}, "UTC");
  for (const [text, expected] of Object.entries(rows)) {
    locale.add({ text });
    const data = { At: new Date(at), Zone: "Asia/Tokyo", Day: "2026-01-31", Null: null };
    assertEquals(locale.GetMessage("text", data).replaceAll("\u202f", " "), expected, text);
  }
});

Deno.test("Locale names the function, the time zone, the currency or the date that does not exist", async (t) => {
  const { loadCatalog } = await import("../../../src/pages/i18n/catalog.ts");
  const load = (text: string, zone = "") => loadCatalog([{ messages: { en: { text } }, tags: [] }], () => ({}), zone);
  const rows: Record<string, string> = {
    '{{datetime .At "Mars/Base"}}': 'Cannot load the translation "text" (en): Cannot use the time zone "Mars/Base"',
    '{{date .At "shrot"}}': 'Cannot use the time zone "shrot": it does not exist; use a name such as "Europe/Athens"',
    '{{tr (time .At "Mars")}}': 'Cannot use the time zone "Mars"',
    "{{curency .Total}}": 'there is no function "curency"; did you mean "currency"?',
    "{{tr (upper .Name)}}": 'Cannot load the translation "text" (en): there is no function "upper"',
    '{{currency .Total "EU"}}': 'Cannot use the currency "EU": it does not exist',
  };
  for (const [text, message] of Object.entries(rows)) {
    await t.step(text, () => assertRejects(() => load(text), FrameworkError, message).then(() => {}));
  }
  await assertRejects(() => load("a", "Mars/Base"), FrameworkError, 'Cannot use the time zone "Mars/Base"');
  const [locale] = (await load("{{date .At .Zone}}")).locales;
  for (
    const [data, message] of [
      [{ At: at, Zone: "Mars" }, 'Cannot use the time zone "Mars"'],
      [{ At: "soon" }, 'Cannot format "soon" as a date'],
      [{ At: true }, 'Cannot format "true" as a date'],
    ] as const
  ) await assertRejects(async () => await locale?.GetMessage("text", data), FrameworkError, message);
});

Deno.test("Locale does not check the arguments of functions that the application replaces", () => {
  const locale = new Locale("en", 0, { date: (value: unknown, style: string) => `${value} ${style}` });
  locale.add({ text: '{{date 1 "own"}}' });
  assertEquals(locale.GetMessage("text"), "1 own");
});
