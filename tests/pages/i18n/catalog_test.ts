import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { loadCatalog } from "../../../src/pages/i18n/catalog.ts";
import { MissingKeys } from "../../../src/pages/i18n/mod.ts";

async function withFiles(files: Record<string, string>, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, name, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function noFunctions(): Record<string, never> {
  return {};
}

Deno.test("loadCatalog() reads JSON, YAML, TOML and INI files of each language", async () => {
  const files = {
    "en-US/user.ini": "\uFEFFhi = hello, %s\n[nav]\nhome = Home\n[user.connections]\nTitle = Connections\n",
    "en-US/more.yml": "key1: first\nyes: true\ndogs:\n  one: a dog\n  other: dogs\n",
    "en-US/other.toml": '[forms]\nmember = "member"\n',
    "el-GR/texts.json": '{"hi":"γεια, %s","nav":{"home":"Αρχική"}}',
    "texts_de.json": '{"hi":"Hallo, %s"}',
    "README.md": "no translations",
  };
  await withFiles(files, async (folder) => {
    const catalog = await loadCatalog([{ folder, tags: ["en-US", "el-GR"] }], noFunctions);
    assertEquals(catalog.tags, ["en-US", "el-GR"]);
    const [english, greek] = catalog.locales;
    assertEquals(english?.GetMessage("hi", "Ada"), "hello, Ada");
    assertEquals(english?.GetMessage("user.connections.Title"), "Connections");
    assertEquals(english?.GetMessage("yes"), "true");
    assertEquals(english?.GetMessage("dogs", 1), "a dog");
    assertEquals(english?.GetMessage("forms.member"), "member");
    assertEquals(greek?.GetMessage("hi", "Ada"), "γεια, Ada");

    const all = await loadCatalog([{ folder, tags: [] }], noFunctions);
    assertEquals([...all.tags].sort(), ["de", "el-GR", "en-US"]);
  });
});

Deno.test("loadCatalog() reads values of other types as strings and omits null", async () => {
  const files = {
    "en/a.yml": "yes: yes\ndate: 2020-01-02\ntime: 12:30:45\nmissing: ~\n",
    "en/b.toml": "day = 2020-01-02\nnumber = 1\n",
    "en/c.json": '{"none":null,"on":true}',
    "en/d.ini": "entity = &nbsp;&copy; # 1",
  };
  await withFiles(files, async (folder) => {
    const [english] = (await loadCatalog([{ folder, tags: [] }], noFunctions)).locales;
    const rows = { yes: "yes", date: "2020-01-02", time: "12:30:45", day: "2020-01-02", number: "1", on: "true" };
    for (const [key, text] of Object.entries(rows)) assertEquals(english?.GetMessage(key), text, key);
    assertEquals(english?.GetMessage("entity"), "&nbsp;&copy; # 1");
    assertEquals([english?.has("missing"), english?.has("none")], [false, false]);
  });
});

Deno.test("loadCatalog() reports the file or the language that fails", async () => {
  await withFiles({ "en/a.json": "{" }, async (folder) => {
    await assertRejects(() => loadCatalog([{ folder, tags: [] }], noFunctions), FrameworkError, "a.json");
  });
  await withFiles({ "en/a.json": "{}" }, async (folder) => {
    const load = () => loadCatalog([{ folder, tags: ["en", "el"] }], noFunctions);
    await assertRejects(load, FrameworkError, 'Cannot load the language "el"');
  });
  await withFiles({ "notes.txt": "" }, async (folder) => {
    await assertRejects(
      () => loadCatalog([{ folder, tags: [] }], noFunctions),
      FrameworkError,
      "named after a language",
    );
  });
  const missing = () => loadCatalog([{ folder: "/nowhere/at/all", tags: [] }], noFunctions);
  await assertRejects(missing, FrameworkError, "Cannot load translations from");
  const bad = () => loadCatalog([{ messages: {}, tags: ["no tag"] }], noFunctions);
  await assertRejects(bad, FrameworkError, 'Cannot use the language "no tag"');
});

Deno.test("loadCatalog() omits languages that were not requested", async () => {
  const messages = { "en-US": { a: "A" }, de: { a: "B" } };
  const catalog = await loadCatalog([{ messages, tags: ["en"] }], noFunctions);
  assertEquals(catalog.tags, ["en"]);
  assertEquals(catalog.locales[0]?.GetMessage("a"), "A");
});

Deno.test("MissingKeys() lists the keys that a language lacks", async () => {
  const messages = { en: { a: "A", nav: { home: "Home" }, dogs: { one: "dog", other: "dogs" } }, el: { a: "Α" } };
  assertEquals(await MissingKeys(messages), [{ Language: "el", Key: "dogs" }, { Language: "el", Key: "nav.home" }]);
  assertEquals(await MissingKeys({ en: { a: "A" }, el: { a: "Α" } }), []);
});
