import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as timeout from "@fw/web/middleware/timeout";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

function writing(text: string): fw.Handler {
  return (ctx) => {
    ctx.WriteString(text);
    return ctx.Next();
  };
}

Deno.test("Go's TestMiddlewareByUseGlobalUseAndDoneGlobalDef: DoneGlobal runs after the handlers of earlier routes", async () => {
  const app = fw.New();
  app.UseRouter(writing("userouter1")).UseRouter(writing("userouter2"));
  app.UseGlobal(writing("useglobal1")).UseGlobal(writing("useglobal2"));
  app.Use(writing("use1"), writing("use2"));
  app.Get("/mypath", writing("main"));
  app.DoneGlobal(writing("done1"), (ctx) => ctx.WriteString("done2"));
  await httptest.New(app).GET("/mypath").Expect().Status(200).Body(
    "userouter1userouter2useglobal1useglobal2use1use2maindone1done2",
  );
});

Deno.test("DoneGlobal() runs after Done, for all parties, overlapping routes and asynchronous handlers, but not if the chain stops", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Party("/a").Done(writing(" done")).Get("/", (ctx) => ctx.WriteString("a"));
  app.DoneGlobal(writing(" global"));
  app.Get("/b", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("b");
  });
  app.Get("/c", (ctx) => ctx.StopExecution());
  app.Get("/c", (ctx) => ctx.WriteString("c"));
  app.Get("/stop", (ctx) => ctx.StopWithText(403, "no"));
  const test = httptest.New(app);
  await test.GET("/a").Expect().Body("a done global");
  await test.GET("/b").Expect().Body("b global");
  await test.GET("/c").Expect().Body("c global");
  await test.GET("/stop").Expect().Status(403).Body("no");
});

Deno.test("example conditional-chain: NewConditionalHandler runs its handlers only if the filter passes", async () => {
  const app = fw.New();
  const isAdmin: fw.Filter = (ctx) => ctx.URLParam("admin") === "true";
  const conditional = fw.NewConditionalHandler(isAdmin, writing("<title>Admin</title>\n"), (ctx) => {
    ctx.WriteString("<h1>Hello Admin</h1><br>");
    return ctx.Next();
  });
  app.Party("/api/v1").Party("/users", conditional).Get("/", (ctx) => ctx.HTML("requested: <b>/api/v1/users</b>"));
  const test = httptest.New(app);
  await test.GET("/api/v1/users").Expect().Status(200).Body("requested: <b>/api/v1/users</b>");
  for (let round = 0; round < 2; round++) {
    await test.GET("/api/v1/users").WithQuery("admin", "true").Expect().Body(
      "<title>Admin</title>\n<h1>Hello Admin</h1><br>requested: <b>/api/v1/users</b>",
    );
  }
});

Deno.test("NewConditionalHandler() may be asynchronous, nested, last, and called by another handler", async () => {
  const always = async () => await Promise.resolve(true);
  const inner = fw.NewConditionalHandler(always, writing("2"), async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("3");
    await ctx.Next();
    ctx.WriteString("7");
  });
  const outer = fw.NewConditionalHandler(() => true, writing("1"), inner, writing("4"));
  const app = fw.New();
  app.Use(timeout.New({ After: 5000 }), (ctx) => outer(ctx));
  app.Get("/", writing("5"), fw.NewConditionalHandler(always, writing("6")));
  app.Get("/stop", fw.NewConditionalHandler(() => true, (ctx) => ctx.StopWithText(403, "no")), writing("never"));
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("1234567");
  await test.GET("/stop").Expect().Status(403).Body("no7");
  assertThrows(() => fw.NewConditionalHandler(always, 5 as never), fw.FrameworkError, "must be a function");
});

Deno.test("NewConditionalHandler() × RouteOverlap: inserted handlers do not move the other routes or their guards", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  const insert = fw.NewConditionalHandler(() => true, (ctx) => ctx.Next(), (ctx) => ctx.Next(), (ctx) => ctx.Next());
  const stop: fw.Handler = (ctx) => ctx.StopExecution();
  app.Party("/a", insert).Get("/", stop);
  app.Party("/a", insert).Get("/", (ctx) => ctx.WriteString("second"));
  app.Party("/b", insert, stop).Get("/", (ctx) => ctx.WriteString("never"));
  app.Party("/b").Get("/", (ctx) => ctx.WriteString("not after a guard"));
  app.Get("/c", insert, stop);
  app.Get("/c", insert, (ctx) => ctx.WriteString("second"));
  const test = httptest.New(app);
  await test.GET("/a").Expect().Body("second");
  await test.GET("/b").Expect().Body("");
  await test.GET("/c").Expect().Body("second");
});

Deno.test("Go's TestRouteStaticPath: StaticPath is the part before the first parameter", () => {
  const app = fw.New();
  for (
    const [template, path] of [
      ["/files/{file:path}", "/files"],
      ["/path", "/path"],
      ["/path/segment", "/path/segment"],
      ["/path/segment/{n:int}", "/path/segment"],
      ["/path/{n:uint64}/{m:int}", "/path"],
      ["/path/{n:uint64}/static", "/path"],
      ["/{name}", "/"],
      ["/", "/"],
      ["/r/{x:string regexp(a/{2})}/y", "/r"],
    ] as const
  ) {
    const route = app.Get(template, () => {});
    assertEquals(route.StaticPath(), path);
    assertEquals(route.IsStatic(), template === path);
  }
  assertEquals(app.Post("/form", () => {}).IsStatic(), false);
  app.HandleDir("/static", ".");
  assertEquals(app.GetRoute("GET /static/*")?.IsStatic(), false);
  assertEquals(app.GetRoute("GET /static/*")?.StaticPath(), "/static");
});

Deno.test("GetRoute() finds a route by its own or its default name", () => {
  const app = fw.New();
  const user = app.Get("/users/{id:int}", () => {}).SetName("user");
  const admin = app.Subdomain("admin").Get("/", () => {});
  assertStrictEquals(app.GetRoute("user"), user);
  assertStrictEquals(app.GetRoute("GET admin./"), admin);
  assertStrictEquals(app.Party("/x").GetRoute("user"), user);
  assertEquals(app.GetRoute("GET /users/{id:int}"), undefined);
});

Deno.test("example intelligence/manual: FindClosest suggests similar pages with their public paths", async () => {
  const app = fw.New().Configure(fw.WithBasePath("/site"));
  app.I18n.LoadKV({ en: { a: "a" }, el: { a: "b" } }, "en", "el");
  app.OnErrorCode(404, (ctx) => ctx.JSON(ctx.FindClosest(3)));
  for (
    const path of ["/home", "/news", "/news/politics", "/user/profile", "/user", "/newspaper", "/user/{id}/{post}"]
  ) app.Get(path, (ctx) => ctx.WriteString(path));
  app.Get("/homes", () => {}).Describe({ Hidden: true });
  app.Post("/hom", () => {});
  app.Subdomain("admin").Get("/hame", () => {});
  const ask = async (path: string, host = "localhost") =>
    await (await app.fetch(new Request(`http://${host}${path}`))).json();
  assertEquals(await ask("/hme"), ["/site/home"]);
  assertEquals(await ask("/el/hme"), ["/site/el/home"]);
  assertEquals(await ask("/newz"), ["/site/news"]);
  assertEquals(await ask("/hme", "admin.localhost"), ["/site/hame"]);
  assertEquals(await ask("/zzzzzzzz"), []);
});
