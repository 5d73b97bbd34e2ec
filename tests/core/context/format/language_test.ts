import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import { askInProcess, bothWays, logged, quiet } from "../../../serving.ts";
import * as httptest from "@fw/web/httptest";

function site(configure: (app: fw.Application) => void = () => {}): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.I18n.LoadKV({ "en-US": { hi: "Hello %s", only: "English only" }, "el-GR": { hi: "Γεια %s" } });
  configure(app);
  app.Get("/", (ctx) => ctx.Text(`${ctx.GetLocale().Language()}: ${ctx.Tr("hi", "Ada")}`));
  app.Get("/only", (ctx) => ctx.Text(ctx.Tr("only")));
  app.Get("/missing", (ctx) => ctx.Text(`[${ctx.Tr("missing", 1)}]`));
  app.Get("/set/{tag}", (ctx) => {
    ctx.SetLanguage(ctx.Params().Get("tag"));
    ctx.Text(ctx.GetLocale().Language());
  });
  return app;
}

async function text(app: fw.Application, path: string, headers: HeadersInit = {}): Promise<string> {
  const url = path.startsWith("http") ? path : `http://example.com${path}`;
  return await (await app.fetch(new Request(url, { headers }))).text();
}

Deno.test("Context.Tr() translates into the language of the query, the subdomain or Accept-Language", async () => {
  const app = site();
  assertEquals(await text(app, "/"), "en-US: Hello Ada");
  for (const tag of ["el-GR", "el-gr", "el"]) assertEquals(await text(app, `/?lang=${tag}`), "el-GR: Γεια Ada");
  assertEquals(await text(app, "/?lang=xx"), "en-US: Hello Ada");
  assertEquals(await text(app, "/", { "accept-language": "fr, el;q=0.5" }), "el-GR: Γεια Ada");
  assertEquals(await text(app, "/?lang=en", { "accept-language": "el" }), "en-US: Hello Ada");
});

Deno.test("Context.Tr() reads the language from a cookie if it is configured", async () => {
  const app = site((app) => {
    app.I18n.Cookie = "language";
  });
  assertEquals(await text(app, "/", { cookie: "language=el", "accept-language": "en" }), "el-GR: Γεια Ada");
  assertEquals(await text(app, "/", { cookie: "language=../../x" }), "en-US: Hello Ada");
});

Deno.test("Context.Tr() calls ExtractFunc before it checks the other sources", async () => {
  const app = site((app) => {
    app.I18n.ExtractFunc = (ctx) => ctx.GetHeader("x-language");
    app.I18n.URLParameter = "";
  });
  assertEquals(await text(app, "/?lang=el"), "en-US: Hello Ada");
  assertEquals(await text(app, "/", { "x-language": "el" }), "el-GR: Γεια Ada");
});

Deno.test("Context.Tr() checks the other sources if ExtractFunc returns no language", async () => {
  for (const none of ["", undefined, null]) {
    const app = site((app) => {
      app.I18n.ExtractFunc = () => none as string;
    });
    assertEquals(await text(app, "/", { "accept-language": "el" }), "el-GR: Γεια Ada");
  }
});

Deno.test("Context.Tr() falls back to the default language, an empty string or a function", async () => {
  assertEquals(await text(site(), "/only?lang=el"), "English only");
  assertEquals(await text(site(), "/missing"), "[]");
  const strict = site((app) => {
    app.I18n.Strict = true;
  });
  assertEquals(await text(strict, "/only?lang=el"), "");
  const told = site((app) => {
    app.I18n.DefaultMessageFunc = (input, matched, key, ...args) => `${input} ${matched} ${key} ${args.join()}`;
  });
  assertEquals(await text(told, "/missing?lang=en-gb"), "[en-gb en-US missing 1]");
});

Deno.test("Context.SetLanguage() takes precedence, and falls back to the default for an unsupported language", async () => {
  assertEquals(await text(site(), "/set/el?lang=en"), "el-GR");
  assertEquals(await text(site(), "/set/xx?lang=el"), "en-US");
});

Deno.test("Context.Tr() sets Vary according to the source of the language", async () => {
  const vary = async (path: string, app = site()) =>
    (await app.fetch(new Request(`http://example.com${path}`))).headers.get("vary");
  assertEquals(await vary("/"), "Accept-Language");
  assertEquals(await vary("/?lang=el"), null);
  assertEquals(
    await vary(
      "/",
      site((app) => {
        app.I18n.Cookie = "language";
      }),
    ),
    "Cookie, Accept-Language",
  );
});

Deno.test("Context.Tr() fails with a clear error if the application has no translations", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => lines.push(line));
  app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi")));
  const e = httptest.New(app);
  await e.GET("/").Expect().Status(500);
  assertStringIncludes(lines.join(), 'Cannot translate "hi": no translations are loaded');
});

Deno.test("I18n.Tr() translates outside a request, and tr() in templates", async () => {
  const views = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${views}/hello.html`, `<p><%= tr("hi", it.Name) %></p>`);
    const app = site((app) => app.RegisterView(fw.HTML(views)));
    app.Get("/page", (ctx) => ctx.View("hello", { Name: "<b>" }));
    assertEquals(await text(app, "/page?lang=el"), "<p>Γεια &lt;b&gt;</p>");
    assertEquals(app.I18n.Tr("el", "hi", "Ada"), "Γεια Ada");
    assertEquals(app.I18n.Tags(), ["en-US", "el-GR"]);
  } finally {
    await Deno.remove(views, { recursive: true });
  }
});

Deno.test("I18n.Reload() reads changed files, and keeps the translations if one of them is invalid", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const write = (text: string) => Deno.writeTextFile(`${folder}/en.json`, text);
    await write('{"hi":"one"}');
    const app = fw.New();
    app.I18n.Load(folder, "en");
    await assertRejects(() => app.I18n.Reload(), fw.FrameworkError, "has not been built");
    app.Get("/", (ctx) => ctx.WriteString(ctx.Tr("hi")));
    const get = async () => await (await app.fetch(new Request("http://localhost/"))).text();
    assertEquals(await get(), "one");
    await write('{"hi":"two"}');
    assertEquals(await get(), "one");
    await app.I18n.Reload();
    assertEquals([await get(), app.I18n.Tr("en", "hi")], ["two", "two"]);
    await write('{"hi":');
    await assertRejects(() => app.I18n.Reload(), fw.FrameworkError, "en.json");
    assertEquals(await get(), "two");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Context.RememberLanguage() stores the language in a cookie that later requests use", async () => {
  const app = quiet();
  app.I18n.Cookie = "language";
  app.I18n.LoadKV({ en: { hi: "Hello" }, el: { hi: "Γεια" } }, "en", "el");
  app.Post("/language", (ctx) => ctx.RememberLanguage(ctx.URLParam("to")));
  app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi")));
  const chosen = await askInProcess(app, "/language?to=el-GR", { method: "POST" });
  const cookie = chosen.headers.get("set-cookie") ?? "";
  assertEquals(cookie.split(";")[0], "language=el");
  assertEquals(cookie.includes("Max-Age=31536000"), true);
  assertEquals((await askInProcess(app, "/", { headers: { cookie: "language=el" } })).text, "Γεια");
});

/** Creates an application with a language switch, as in the book. */
function newSwitch(): fw.Application {
  const app = quiet();
  app.I18n.Cookie = "language";
  app.I18n.LoadKV({ en: { hi: "Hello" }, de: { hi: "Hallo" }, "el-GR": { hi: "Γεια" } }, "en", "de", "el-GR");
  app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi"))).SetName("home");
  app.Get("/inner", (ctx) => ctx.Text(`${ctx.Tr("hi")} ${ctx.URLPath("home")}`));
  app.Post("/language/{tag}", (ctx) => {
    ctx.RememberLanguage(ctx.Params().Get("tag"));
    ctx.Header("x-links", [ctx.URLPath("home"), ctx.AbsoluteURI("/a"), ctx.FullRequestURI()].join(" "));
    ctx.Redirect("/", 303);
  });
  app.Get("/exec/{tag}", (ctx) => {
    ctx.SetLanguage(ctx.Params().Get("tag"));
    return ctx.Exec("GET", "/inner");
  });
  return app;
}

bothWays("Context.RememberLanguage() leads to pages in the new language from any path", newSwitch, async (ask) => {
  const rows: [from: string, tag: string, location: string, text: string][] = [
    ["", "de", "/", "Hallo"],
    ["/de", "en", "/en/", "Hello"],
    ["/de", "el", "/el/", "Γεια"],
    ["/de", "el-gr", "/el-GR/", "Γεια"],
    ["/el-GR", "de", "/de/", "Hallo"],
    ["/de", "xx", "/en/", "Hello"],
    ["/de", "de", "/de/", "Hallo"],
  ];
  for (const [from, tag, location, text] of rows) {
    const path = `${from}/language/${tag}`;
    const { headers } = await ask(path, { method: "POST" });
    assertEquals(headers.get("location"), location, path);
    const home = location.slice(0, -1);
    assertEquals(
      headers.get("x-links"),
      `${location} http://localhost${home}/a http://localhost${path}`,
      path,
    );
    const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    assertEquals((await ask(location, { headers: { cookie } })).text, text, path);
  }
});

bothWays("Context.SetLanguage() also applies to a route that Exec runs", newSwitch, async (ask) => {
  assertEquals((await ask("/exec/de")).text, "Hallo /");
  assertEquals((await ask("/el/exec/de")).text, "Hallo /de/");
});

Deno.test("Context.RememberLanguage() throws if the cookie has no name", async () => {
  const { app, lines } = logged();
  app.I18n.LoadKV({ en: {}, el: {} }, "en", "el");
  app.Get("/", (ctx) => ctx.RememberLanguage("el"));
  assertEquals((await askInProcess(app, "/")).status, 500);
  assertEquals(lines.join().includes("app.I18n.Cookie"), true);
});

Deno.test("Context.Tr() reports that no translations are loaded if there are none in the sources", async () => {
  const { app, lines } = logged();
  app.I18n.LoadKV({});
  app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi")));
  app.Get("/plain", (ctx) => ctx.Text("plain"));
  assertEquals(await text(app, "/"), "Internal Server Error");
  assertStringIncludes(lines.join(), 'Cannot translate "hi": no translations are loaded');
  assertEquals(await text(app, "/plain"), "plain");
});
