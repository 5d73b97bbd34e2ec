import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as cache from "@fw/web/middleware/cache";
import * as rewrite from "@fw/web/middleware/rewrite";
import { assertEquals } from "@std/assert";

const texts = {
  "en-US": { hi: "hello, %s", only: "only here" },
  "el-GR": { hi: "γεια, %s" },
  "zh-CN": { hi: "您好，%s" },
};

function newApp(): fw.Application {
  const app = fw.New();
  app.I18n.LoadKV(texts, "en-US", "el-GR", "zh-CN");
  app.Get("/", (ctx) => ctx.WriteString(`${ctx.GetLocale().Language()}: ${ctx.Tr("hi", "iris")}`));
  app.Get("/users/{name}", (ctx) => ctx.WriteString(`${ctx.Tr("hi", ctx.Params().Get("name"))} at ${ctx.Path()}`));
  return app;
}

Deno.test("example i18n/basic: the language comes from the path, the query, the header or the default", async () => {
  const test = httptest.New(newApp());
  await test.GET("/").Expect().Status(200).Body("en-US: hello, iris");
  const rows = { "en-US": "hello, iris", "el-GR": "γεια, iris", "zh-CN": "您好，iris" };
  for (const [tag, hi] of Object.entries(rows)) {
    const body = `${tag}: ${hi}`;
    const [language = ""] = tag.split("-");
    for (const lang of [tag, tag.toLowerCase(), language]) {
      await test.GET("/").WithQuery("lang", lang).Expect().Status(200).Body(body);
      await test.GET(`/${lang}`).Expect().Status(200).Body(body);
      await test.GET(`/${lang}/`).Expect().Status(200).Body(body);
    }
    await test.GET("/").WithHeader("Accept-Language", tag).Expect().Status(200).Body(body);
    await test.GET(`/${tag}`).WithHeader("Accept-Language", "en").Expect().Status(200).Body(body);
  }
  await test.GET("/zh-Hans-CN/users/ann").Expect().Status(200).Body("您好，ann at /users/ann");
});

for (
  const path of [
    "/el-GRtemplates",
    "/el-templates",
    "/fr",
    "/elx",
    "/e",
    "/el_GR",
    "/el-GR-x-private",
    "/el-GR-u-ca-buddhist",
    "/el%2Fusers",
    "/%E0%A4%A/users",
    "/users",
    "/en-US/el-GR",
    `/${"el".repeat(5000)}`,
  ]
) {
  Deno.test(`PathRedirect does not change the path "${path.slice(0, 30)}"`, async () => {
    const response = await newApp().fetch(new Request(`http://localhost${path}`));
    await response.body?.cancel();
    assertEquals(response.status, path.includes("%E0%A4%A/") ? 400 : 404);
  });
}

Deno.test("PathRedirect treats two spellings of a language as the same", async () => {
  const app = newApp();
  for (const path of ["/el/users/ann", "/%65l/users/ann", "//el/users/ann", "/EL/users/ann", "/el//users/ann"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals(await response.text(), "γεια, ann at /users/ann", path);
  }
});

Deno.test("PathRedirect keeps the query, and redirects keep the language", async () => {
  const app = newApp();
  app.Get("/search", (ctx) => ctx.WriteString(`${ctx.URLParam("q")} ${ctx.RequestPath()} ${ctx.Path()}`));
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/sub`);
  await Deno.writeTextFile(`${folder}/sub/index.html`, "page");
  app.HandleDir("/static", folder);
  const ask = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    return [response.status, response.headers.get("location") ?? await response.text()];
  };
  assertEquals(await ask("/el/search?q=a/b"), [200, "a/b /el/search /search"]);
  assertEquals(await ask("/el?q=1"), [200, "el-GR: γεια, iris"]);
  assertEquals(await ask("/el/search/?q=1"), [301, "/el/search?q=1"]);
  assertEquals(await ask("/search/?q=1"), [301, "/search?q=1"]);
  assertEquals((await ask("/el/static/sub"))[1], "/el/static/sub/");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("PathRedirect can be disabled and requires translations", async () => {
  const app = newApp();
  app.I18n.PathRedirect = false;
  app.Get("/el", (ctx) => ctx.WriteString("a path"));
  await httptest.New(app).GET("/el").Expect().Status(200).Body("a path");
  const bare = fw.New();
  bare.Get("/el", (ctx) => ctx.WriteString("a path"));
  await httptest.New(bare).GET("/el").Expect().Status(200).Body("a path");
});

Deno.test("PathRedirect hides the language prefix from guards, mounted applications, caches, rewrite and Exec", async () => {
  const app = newApp();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/former/{rest:path}", To: "/users/{rest}" }] }));
  const seen: string[] = [];
  app.UseRouter((ctx) => {
    seen.push(ctx.Path());
    return ctx.Next();
  });
  const admin = app.Party("/admin", (ctx) => ctx.StopWithStatus(401));
  admin.Get("/", () => {});
  app.Mount("/old", (request) => new Response(new URL(request.url).pathname));
  app.Get("/page", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.WriteString(ctx.Tr("hi", "you")));
  app.Get("/exec", (ctx) => ctx.Exec("GET", "/"));
  const test = httptest.New(app);
  await test.GET("/el/admin").Expect().Status(401);
  await test.GET("/el/old/shop").Expect().Status(200).Body("/shop");
  for (const _ of [1, 2]) {
    await test.GET("/el/page").Expect().Body("γεια, you");
    await test.GET("/zh/page").Expect().Body("您好，you");
    await test.GET("/page").Expect().Body("hello, you");
  }
  await test.GET("/el/former/ann").Expect().Body("γεια, ann at /users/ann");
  await test.GET("/el/exec").Expect().Body("el-GR: γεια, iris");
  assertEquals(seen.slice(0, 3), ["/admin", "/old/shop", "/page"]);
});

Deno.test("PathRedirect takes precedence over all other language sources except ctx.SetLanguage", async () => {
  const app = newApp();
  app.I18n.ExtractFunc = () => "zh-CN";
  app.Get("/set", (ctx) => {
    ctx.SetLanguage("en-US");
    ctx.WriteString(ctx.Tr("hi", "you"));
  });
  const test = httptest.New(app);
  await test.GET("/el?lang=en").Expect().Body("el-GR: γεια, iris");
  await test.GET("/").Expect().Body("zh-CN: 您好，iris");
  await test.GET("/el/set").Expect().Body("hello, you");
});

Deno.test("PathRedirect invalidates a cached page in all languages and spellings after a write", async () => {
  const app = fw.New();
  app.I18n.LoadKV(texts, "en-US", "el-GR", "zh-CN");
  let runs = 0;
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/x/{id:int}", (ctx) => ctx.WriteString(`${++runs} ${ctx.GetLocale().Language()}`));
  app.Put("/x/{id:int}", (ctx) => ctx.StatusCode(ctx.URLParamExists("fail") ? 500 : 204));
  const test = httptest.New(app);
  const paths = ["/x/1", "/el/x/1", "/zh/x/1"];
  const languages = ["en-US", "el-GR", "zh-CN"];
  const expectRuns = async (first: number) => {
    for (const [at, path] of paths.entries()) await test.GET(path).Expect().Body(`${first + at} ${languages[at]}`);
  };
  await expectRuns(1);
  await expectRuns(1);
  await test.GET("/EL/x/1").Expect().Body("2 el-GR");
  // The links of these pages differ.
  await test.GET("/el-GR/x/1").Expect().Body("4 el-GR");
  await test.GET("/EL-gr/x/1").Expect().Body("4 el-GR");
  await test.PUT("/x/1").Expect().Status(204);
  await test.GET("/el-GR/x/1").Expect().Body("5 el-GR");
  await expectRuns(6);
  await test.PUT("/EL-gr/x/1").Expect().Status(204);
  await expectRuns(9);
  await test.PUT("/x/1").WithQuery("fail", "1").Expect().Status(500);
  await test.PUT("/x/2").Expect().Status(204);
  await expectRuns(9);
});

Deno.test("PathRedirect keeps the language in the full URL of the request", async () => {
  const app = newApp();
  app.Get(
    "/url",
    (ctx) => ctx.JSON([ctx.FullRequestURI(), ctx.AbsoluteURI("next"), ctx.AbsoluteURI("/top"), ctx.Path()]),
  );
  const test = httptest.New(app);
  await test.GET("http://localhost/EL/url?a=1").Expect().JSON([
    "http://localhost/el/url?a=1",
    "http://localhost/el/next",
    "http://localhost/el/top",
    "/url",
  ]);
});

Deno.test("PathRedirect keeps the language in redirects of rewrite rules", async () => {
  const app = newApp();
  app.WrapRouter(rewrite.New({
    Rules: [
      { From: "/old/{name}", To: "/users/{name}", Status: 301 },
      { From: "/query", To: "/users/ann?a=1", Status: 302 },
      { From: "/away", To: "https://example.com/x", Status: 302 },
      { From: "/inside/{name}", To: "/users/{name}" },
    ],
  }));
  const ask = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  for (
    const [path, location] of [
      ["/old/ann", "/users/ann"],
      ["/el/old/ann?x=1", "/el/users/ann?x=1"],
      ["/zh-CN/query?b=2", "/zh-CN/users/ann?a=1&b=2"],
      ["/el/away", "https://example.com/x"],
    ] as const
  ) {
    assertEquals((await ask(path)).headers.get("location"), location);
  }
  assertEquals(await (await ask("/el/inside/ann")).text(), "γεια, ann at /users/ann");
});
