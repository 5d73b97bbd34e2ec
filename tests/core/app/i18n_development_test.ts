import { join } from "@std/path";
import * as fw from "@fw/web";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { logged } from "../../serving.ts";

const texts = {
  en: { title: "Title", nav: { home: "Home", shop: "Shop" }, dogs: { one: "%d dog", other: "%d dogs" }, empty: "" },
  de: { title: "Titel" },
};

function newApp(template: string, ...configure: fw.Configurator[]): { app: fw.Application; lines: string[] } {
  const { app, lines } = logged();
  app.Configure(...configure);
  app.I18n.LoadKV(texts, "en", "de");
  app.RegisterView(fw.HTML("").ParseTemplate("page.html", template));
  app.Get("/page", (ctx) => ctx.View("page.html"));
  app.Get("/tr", (ctx) => ctx.WriteString(ctx.Tr(ctx.URLParam("key"))));
  return { app, lines };
}

async function get(app: fw.Application, path: string): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`))).text();
}

const rows: Record<string, readonly [path: string, shown: string, ...warnings: string[]]> = {
  "nav.hom": [
    "/page",
    "[nav.hom]",
    '"nav.hom" into "en" (template "page.html"): there is no such key; did you mean "nav.home"?',
  ],
  "<b>": ["/page", "[&lt;b&gt;]", '"<b>" into "en" (template "page.html"): there is no such key'],
  "nav": ["/page", "[nav]", '"nav" into "en" (template "page.html"): it is a section with the keys: home, shop'],
  "dogs": [
    "/page",
    "[dogs]",
    '"dogs" into "en" (template "page.html"): no plural form matches; pass the count as the first argument',
  ],
  "nav.home": [
    "/de/page",
    "Home",
    '"nav.home" into "de" (template "page.html"): the key is missing in this language, so that of "en" is used',
  ],
  "title": ["/de/page", "Titel"],
  "empty": ["/page", ""],
};

for (const [key, [path, shown, ...warnings]] of Object.entries(rows)) {
  Deno.test(`tr() in a template shows "${shown}" for the key "${key}" of ${path} during development`, async () => {
    const { app, lines } = newApp(`<%= tr('${key}') %>`, fw.WithDevelopment);
    for (let i = 0; i < 2; i++) assertEquals(await get(app, path), shown);
    assertEquals(lines, warnings.map((text) => `[WARN] Cannot translate ${text}`));
  });
}

Deno.test("tr() in a template is empty for a missing key in production, with Strict, and with DefaultMessageFunc", async () => {
  const plain = newApp("<%= tr('nowhere') %>");
  assertEquals([await get(plain.app, "/page"), plain.lines], ["", []]);
  const strict = newApp("<%= tr('nowhere') %>", fw.WithDevelopment);
  strict.app.I18n.Strict = true;
  assertEquals([await get(strict.app, "/page"), strict.lines.length], ["", 1]);
  const own = newApp("<%= tr('nowhere') %>", fw.WithDevelopment);
  own.app.I18n.DefaultMessageFunc = (_input, _matched, key) => `?${key}`;
  assertEquals([await get(own.app, "/page"), own.lines], ["?nowhere", []]);
});

Deno.test("Context.Tr() returns an empty string for a missing key and warns once during development", async () => {
  const { app, lines } = newApp("", fw.WithDevelopment);
  for (let i = 0; i < 2; i++) assertEquals(await get(app, "/tr?key=nowhere"), "");
  assertEquals(lines, ['[WARN] Cannot translate "nowhere" into "en" (route "GET /tr"): there is no such key']);
});

Deno.test("translation files are read again during development, and only then", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_i18n_" });
  try {
    const write = (name: string, value: unknown) => Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(value));
    const start = (...configure: fw.Configurator[]) => {
      const { app, lines } = logged();
      app.Configure(...configure);
      app.I18n.Load(folder);
      app.Get("/", (ctx) => ctx.WriteString(ctx.Tr("hi")));
      return { app, lines };
    };
    await write("en.json", { hi: "Hello" });
    const [developed, served] = [start(fw.WithDevelopment), start()];
    await Promise.all([developed.app.Build(), served.app.Build()]);
    await write("en.json", { hi: "Hello again" });
    assertEquals([await get(developed.app, "/"), await get(served.app, "/")], ["Hello again", "Hello"]);
    await write("de.json", { hi: "Hallo" });
    assertEquals([await get(developed.app, "/de"), await get(served.app, "/?lang=de")], ["Hallo", "Hello"]);
    await Deno.writeTextFile(`${folder}/en.json`, "{ broken");
    assertEquals(await get(developed.app, "/en"), "Hello again");
    assertEquals(await get(developed.app, "/en"), "Hello again");
    assertEquals(developed.lines.length, 1);
    assertStringIncludes(developed.lines[0] ?? "", "Cannot reload the translations, so the current ones are kept:");
    await write("en.json", { hi: "Repaired at last" });
    assertEquals(await get(developed.app, "/en"), "Repaired at last");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("I18n.TimeZone is the time zone of dates in translations, and must exist", async () => {
  const app = fw.New();
  app.I18n.LoadKV({ en: { at: '{{datetime .At "short"}}' } });
  app.I18n.TimeZone = "Asia/Tokyo";
  app.Get("/", (ctx) => ctx.WriteString(ctx.Tr("at", { At: Date.UTC(2026, 0, 31, 22, 30) })));
  assertEquals((await get(app, "/")).replaceAll("\u202f", " "), "2/1/26, 7:30 AM");
  const wrong = fw.New();
  wrong.I18n.LoadKV({ en: { a: "a" } });
  wrong.I18n.TimeZone = "Mars/Base";
  const error = await wrong.Build()?.catch((reason) => reason);
  assertEquals((error as Error).message.slice(0, 37), 'Cannot use the time zone "Mars/Base":');
});

Deno.test("I18n.LoadKV() refuses translations that are not an object", async () => {
  for (const value of ["text", ["a"], null, 7]) {
    const app = fw.New();
    app.I18n.LoadKV({ en: value as unknown as Record<string, string> });
    const error = await app.Build()?.catch((reason) => reason);
    assertEquals((error as Error).message, 'Cannot load the language "en": its translations are not an object');
  }
});

Deno.test("I18n.Load() warns of files that are not named after a language", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_i18n_" });
  try {
    for (const name of ["en", "fr", "messages"]) await Deno.writeTextFile(`${folder}/${name}.json`, '{ "hi": "Hi" }');
    const { app, lines } = logged();
    app.I18n.Load(folder, "en");
    await app.Build();
    assertEquals(lines, [
      `[WARN] The translations in "${join(folder, "messages.json")}" are not used: its path contains no language`,
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
