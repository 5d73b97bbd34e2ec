import { toFileUrl } from "@std/path";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import { assertEquals } from "@std/assert";
import { join } from "@std/path/join";
import { dirname } from "@std/path/dirname";

/** Writes files to a temporary folder, which is removed after the run. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const basic = {
  "en-US/locale_en-US.ini": 'hi = hello, %s\nprofile = <a href="%s">profile</a>',
  "en-US/locale_multi_first_en-US.yml": 'key1: "from the first file"',
  "en-US/locale_multi_second_en-US.ini": "key2 = from the second file",
  "el-GR/locale_el-GR.ini": '\ufeffhi = γεια, %s\nprofile = <a href="%s">προφίλ</a>',
  "el-GR/locale_multi_first_el-GR.yml": 'key1: "από το πρώτο αρχείο"',
  "el-GR/locale_multi_second_el-GR.ini": "key2 = από το δεύτερο αρχείο",
  "zh-CN/locale_zh-CN.ini": "hi = 您好，%s",
};

Deno.test("example i18n/basic: files of several formats, a message for missing keys, and translations in views", async () => {
  await withFiles(basic, async (folder) => {
    const app = fw.New();
    app.I18n.DefaultMessageFunc = (input, matched, key, ...args) => `${input}: ${matched}: ${key}: ${args.join(" ")}`;
    app.I18n.Load(folder, "en-US", "el-GR", "zh-CN");
    app.RegisterView(
      fw.HTML("").ParseTemplate(
        "index.html",
        '<%= tr("hi", "fw") %> | <%= trIn("zh-CN", "hi", "fw") %> | <%~ tr("profile", "https://example.com") %>',
        { trIn: (language: string, key: string, ...args: unknown[]) => app.I18n.Tr(language, key, ...args) },
      ),
    );
    app.Get("/not-matched", (ctx) => ctx.WriteString(ctx.Tr("not_found_key", "some", "values", 42)));
    app.Get("/other", (ctx) => ctx.WriteString(`${ctx.GetLocale().Language()} ${ctx.Tr("key1")} ${ctx.Tr("key2")}`));
    app.Get("/templates", (ctx) => ctx.View("index"));
    const test = httptest.New(app);
    const greek = "el-GR από το πρώτο αρχείο από το δεύτερο αρχείο";
    await test.GET("/other").WithQuery("lang", "el-GR").Expect().Body(greek);
    await test.GET("/el-gr/other").Expect().Body(greek);
    await test.GET("/en/other").Expect().Body("en-US from the first file from the second file");
    await test.GET("/el-templates").Expect().Status(404);
    await test.GET("/el/templates").Expect()
      .Body('γεια, fw | 您好，fw | <a href="https://example.com">προφίλ</a>');
    await test.GET("/not-matched").WithQuery("lang", "en-gb").Expect().Body(
      "en-gb: en-US: not_found_key: some values 42",
    );
  });
});

const plurals = {
  "en-US/welcome.yml": `
Vars:
  - Minutes:
      one: "minute"
      other: "minutes"
  - Dogs:
      "=5": "dogsssss"
      one: "dog"
      other: "dogs"
  - Houses:
      one: "house"
      other: "houses"
  - Gender:
      "=1": "She"
      "=2": "He"
YouLate: "You are %[1]d \${Minutes} late."
Classic: "classic"
FreeDay:
  "=3": "You have three days and %[2]d \${Minutes} off."
  one:  "You have a day off"
  other: "You have %[1]d free days"
HeIsHome: "%s is home"
HouseCount: "\${Gender} (%[3]s) has %[2]d \${Houses}"
VarTemplate: (\${Gender}) {{tr "HeIsHome" .Name}}
VarTemplatePlural:
  one: "\${Gender} is awesome"
  other: "other (\${Gender}) has %[3]d \${Houses}"
  "=5": "{{call .InlineJoin .Names}} are awesome"
TemplatePlural:
  one: "{{.Name}} is unique"
  "=5": "{{call .InlineJoin .Names}} are awesome"
TemplateVarTemplatePlural:
  other: "These {{.PluralCount}} are wonderful, feeding {{.DogsCount}} \${Dogs} in total!"
LocalVarsHouseCount:
  Text: "\${Gender} has %[2]d \${Houses}"
  Vars:
    - Gender:
        "=3": "She"
        "=4": "He"
    - Houses:
        one: "house"
        other: "houses"
root:
  user: Account
nav:
  home: Home
  user: '{{tr "root.user"}}'
  more:
    what: "this"
    even:
      more: "yes"
      aplural: "You are %[1]d \${Minutes} late."
`,
  "en-US/1648.ini": `[message]
Encrypted = Encrypted
Message = Message
EncryptedMessage = {{tr "message.Encrypted"}} {{tr "message.Message"}}
HostResult = Store {{tr "message.EncryptedMessage"}} Online`,
};

Deno.test("example i18n/plurals: plural forms, variables, templates and sections", async () => {
  const [female, male] = [1, 2];
  const joined = {
    PluralCount: 5,
    Names: ["Makis", "Peter"],
    InlineJoin: (names: readonly string[]) => names.join(", "),
  };
  const rows: readonly [key: string, args: readonly unknown[], text: string][] = [
    ["Classic", [], "classic"],
    ["YouLate", [1], "You are 1 minute late."],
    ["YouLate", [2], "You are 2 minutes late."],
    ["FreeDay", [1], "You have a day off"],
    ["FreeDay", [5], "You have 5 free days"],
    ["FreeDay", [3, 15], "You have three days and 15 minutes off."],
    ["HeIsHome", ["Peter"], "Peter is home"],
    ["HouseCount", [female, 2, "Maria"], "She (Maria) has 2 houses"],
    ["HouseCount", [male, 1, "Peter"], "He (Peter) has 1 house"],
    ["nav.home", [], "Home"],
    ["nav.user", [], "Account"],
    ["nav.more.what", [], "this"],
    ["nav.more.even.more", [], "yes"],
    ["nav.more.even.aplural", [1], "You are 1 minute late."],
    ["nav.more.even.aplural", [15], "You are 15 minutes late."],
    ["VarTemplate", [{ Name: "Peter", GenderCount: male }], "(He) Peter is home"],
    ["VarTemplatePlural", [1, female], "She is awesome"],
    ["VarTemplatePlural", [2, female, 1], "other (She) has 1 house"],
    ["VarTemplatePlural", [2, female, 5], "other (She) has 5 houses"],
    ["VarTemplatePlural", [1, male], "He is awesome"],
    ["VarTemplatePlural", [2, male, 1], "other (He) has 1 house"],
    ["VarTemplatePlural", [joined], "Makis, Peter are awesome"],
    ["TemplatePlural", [{ PluralCount: 1, Name: "Peter" }], "Peter is unique"],
    ["TemplatePlural", [joined], "Makis, Peter are awesome"],
    ["VarTemplatePlural", [2, male, 4], "other (He) has 4 houses"],
    [
      "TemplateVarTemplatePlural",
      [{ PluralCount: 3, DogsCount: 5 }],
      "These 3 are wonderful, feeding 5 dogsssss in total!",
    ],
    ["message.HostResult", [], "Store Encrypted Message Online"],
    ["LocalVarsHouseCount.Text", [3, 4], "She has 4 houses"],
  ];
  await withFiles(plurals, async (folder) => {
    const app = fw.New();
    app.I18n.Load(folder, "en-US");
    app.Get("/", (ctx) => ctx.JSON(rows.map(([key, args]) => ctx.Tr(key, ...args))));
    await httptest.New(app).GET("/").Expect().JSON(rows.map(([, , text]) => text));
  });
});

Deno.test("example i18n/template: translations call functions and other translations, in INI sections", async () => {
  const files = {
    "en-US/other.ini":
      '# some keys\n[nav]\nUser = Account\n\n[user.connections]\nTitle = {{tr "nav.User"}} Connections',
    "en-US/user.ini": '[forms]\nmember = member\nregister = Become a {{uppercase (tr "forms.member") }}',
    "el-GR/other.ini": '[nav]\nUser = Λογαριασμός\n\n[user.connections]\nTitle = {{tr "nav.User"}} Συνδέσεις',
    "el-GR/user.ini": '[forms]\nmember = μέλος\nregister = Γίνε {{uppercase (tr "forms.member") }}',
  };
  await withFiles(files, async (folder) => {
    // "template-embedded" loads the same files from the program itself; here a URL does, also in a compiled program.
    for (const source of [folder, toFileUrl(`${folder}/`)]) {
      const app = fw.New();
      app.I18n.Funcs = (language) => ({ uppercase: (word: string) => word.toLocaleUpperCase(language) });
      app.I18n.Load(source, "en-US", "el-GR");
      app.Get("/", (ctx) => ctx.WriteString(ctx.Tr("forms.register")));
      app.Get("/title", (ctx) => ctx.WriteString(ctx.Tr("user.connections.Title")));
      const test = httptest.New(app);
      await test.GET("/").Expect().Body("Become a MEMBER");
      await test.GET("/title").Expect().Body("Account Connections");
      await test.GET("/").WithHeader("accept-language", "el").Expect().Body("Γίνε ΜΕΛΟΣ");
      await test.GET("/title").WithHeader("accept-language", "el").Expect().Body("Λογαριασμός Συνδέσεις");
      assertEquals(app.I18n.Tags(), ["en-US", "el-GR"]);
    }
  });
});
