import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import { assertEquals, assertThrows } from "@std/assert";

function named(name: string): fw.Handler {
  return (ctx) =>
    ctx.WriteString(`${name} ${ctx.Params().Entries().map(([key, value]) => `${key}=${value}`).join(" ")}`);
}

Deno.test("A literal suffix after a parameter is part of the path and not of the value", async () => {
  const app = fw.New();
  app.Get("/{id:int}.json", named("json"));
  app.Get("/{id:int}", named("int"));
  app.Get("/{name}.json", named("other json"));
  app.Get("/{name}.min.js", named("min"));
  app.Get("/{name}.js", named("js"));
  app.Get("/{name:file}", named("file"));
  app.Get("/posts/{slug}.html/comments/{n:int}-last", named("nested"));
  app.Get("/%C3%A9/{name}%20é", named("escaped"));
  app.Get("/fixed.json", named("fixed"));
  const test = httptest.New(app);
  for (
    const [path, body] of [
      ["/5.json", "json id=5"],
      ["/5", "int id=5"],
      ["/abc.json", "other json name=abc"],
      ["/a.json.json", "other json name=a.json"],
      ["/a.min.js", "min name=a"],
      ["/a.b.js", "js name=a.b"],
      ["/.js", "file name=.js"],
      ["/a.txt", "file name=a.txt"],
      ["/fixed.json", "fixed "],
      ["/a%2Fb.json", "other json name=a/b"],
      ["/%61%2Ejson", "other json name=a"],
      ["/posts/tea.html/comments/7-last", "nested slug=tea n=7"],
      ["/%C3%A9/x%20%C3%A9", "escaped name=x"],
    ] as const
  ) await test.GET(path).Expect().Status(200).Body(body);
  await test.GET("/posts/tea.htm/comments/7-last").Expect().Status(404);
  await test.GET("/posts/tea.html/comments/-last").Expect().Status(404);
});

Deno.test("A literal suffix works with else codes, 405, lowercase routing, parties and guards", async () => {
  const app = fw.New().Configure(fw.WithLowercaseRouting);
  app.Get("/{id:int else 400}.JSON", named("json"));
  const party = app.Party(
    "/Reports/{id:int}.d",
    (ctx) => ctx.URLParam("key") === "tea" ? ctx.Next() : ctx.StopWithStatus(403),
  );
  party.Get("/x", named("report"));
  app.Get("/{rest:path}", named("rest"));
  const test = httptest.New(app);
  await test.GET("/5.json").Expect().Body("json id=5");
  await test.GET("/5.JSON").Expect().Body("json id=5");
  await test.POST("/5.json").Expect().Status(405);
  await test.GET("/reports/7.D/x?key=tea").Expect().Body("report id=7");
  await test.GET("/reports/7.d/x").Expect().Status(403);
  await test.GET("/reports/7.d/y").Expect().Status(403);
  await test.GET("/reports/7.e/y").Expect().Body("rest rest=reports/7.e/y");
  const strict = fw.New();
  strict.Get("/{id:int else 400}.json", named("json"));
  await httptest.New(strict).GET("/abc.json").Expect().Status(400);
  await httptest.New(strict).GET("/abc.xml").Expect().Status(404);
});

Deno.test("A literal suffix is included in links, explanations, API documents and the register rule", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteError);
  app.Get("/reports/{id:int min(1)}.json", named("json")).SetName("report");
  app.Get("/reports/{id:int min(1)}.xml", named("xml"));
  assertThrows(() => app.Get("/reports/{id:int min(1)}.json", () => {}), fw.FrameworkError, "exists already");
  assertEquals(app.Reverse("report", 5), "/reports/5.json");
  assertThrows(() => app.Reverse("report", 0), fw.FrameworkError, "does not accept");
  assertEquals(app.GetRoute("report")?.StaticPath(), "/reports");
  const whys = async (path: string) => (await app.Explain("GET", path)).Others.map(({ Why }) => Why);
  assertEquals(await whys("/reports/5.csv"), ['"5.csv" does not end with ".json"', '"5.csv" does not end with ".xml"']);
  assertEquals((await whys("/reports/0.json"))[0], '"0" is rejected by min(1)');
  assertEquals((await whys("/reports/a.json"))[0], '"a" is not of type int');
  const document = await openapi.New({ Title: "Reports", Version: "1" }).Build(app);
  assertEquals(Object.keys(document["paths"] as object), ["/reports/{id}.json", "/reports/{id}.xml"]);
});

Deno.test("A controller route can have a literal suffix", async () => {
  class ReportController {
    BeforeActivation(b: mvc.BeforeActivation) {
      b.Handle("GET", "/{id:int}.json", "Show");
    }
    Show(id = 0) {
      return { id };
    }
  }
  const app = fw.New();
  mvc.New(app.Party("/reports")).Handle(ReportController);
  await httptest.New(app).GET("/reports/5.json").Expect().JSON({ id: 5 });
});

Deno.test("A template with text before a parameter, two parameters or a suffix after a catch-all is rejected", () => {
  const app = fw.New();
  for (
    const [template, message] of [
      ["/a{id}", "text comes before it"],
      ["/{a}{b}", "only one parameter at column 5"],
      ["/{a}-{b}", "only one parameter at column 6"],
      ["/{a:path}.json", 'nothing may follow "{a}"'],
      ["/{a}.j?x", 'a path cannot contain "?"'],
      ["/{a}.j}", '"}" without "{"'],
      ["/{a}.%zz", 'malformed escape "%zz" at column 6'],
    ] as const
  ) assertThrows(() => app.Get(template, () => {}), fw.FrameworkError, message);
});
