import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as compress from "@fw/web/middleware/compress";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

Deno.test("example same-pattern-different-func/use-global: global middleware and Done run for each of the routes", async () => {
  for (const rule of [fw.RouteOverride, fw.RouteSkip, fw.RouteError, fw.RouteOverlap]) {
    const app = fw.New().SetRegisterRule(rule);
    for (const name of ["first", "second"]) {
      app.UseGlobal((ctx) => {
        ctx.WriteString(`${name}, `);
        return ctx.Next();
      });
    }
    app.Done((ctx) => ctx.WriteString(`, done: ${ctx.Params().Get("name")}`));
    for (const name of ["one", "two", "three"]) {
      app.Get(`/{name:string prefix(${name})}`, (ctx) => ctx.WriteString(`route ${name}`));
    }
    const test = httptest.New(app);
    for (const name of ["one", "two", "three"]) {
      await test.GET(`/${name}-num`).Expect().Body(`first, second, route ${name}, done: ${name}-num`);
    }
    await test.GET("/four").Expect().Status(404);
  }
});

Deno.test("example http-errors/reset-body: an error discards the recorded body, also with overlapping error handlers", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Use(compress.New());
  app.OnAnyErrorCode((ctx) => ctx.URLParamExists("next") ? ctx.StopExecution() : ctx.WriteString("first handler"));
  app.OnAnyErrorCode((ctx) => ctx.WriteString(ctx.GetErr()?.message ?? ""));
  app.Get("/", (ctx) => {
    ctx.Recorder();
    ctx.WriteString("This should NOT be written");
    ctx.StopWithError(400, new Error("custom error"));
  });
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(400).Body("first handler");
  await test.GET("/").WithQuery("next", "1").Expect().Status(400).Body("custom error");
});

Deno.test("Go's TestRegisterRule: Skip keeps the route of Get, Override replaces it, and Error throws", async () => {
  const newApp = (rule: typeof fw.RouteSkip | typeof fw.RouteOverride) => {
    const app = fw.New();
    const v1 = app.Party("/v1").SetRegisterRule(rule);
    const first = v1.Get("/", (ctx) => ctx.WriteString(`[get] ${ctx.Method()}`));
    v1.Any("/", (ctx) => ctx.WriteString(`[any] ${ctx.Method()}`));
    if (rule === fw.RouteSkip) assertStrictEquals(v1.Get("/", (ctx) => ctx.WriteString("")), first);
    v1.SetRegisterRule(fw.RouteError);
    assertThrows(() => v1.Get("/", () => {}), fw.FrameworkError, 'Cannot register GET /v1: "GET /v1" exists already');
    return app;
  };
  for (const [rule, body] of [[fw.RouteSkip, "[get] GET"], [fw.RouteOverride, "[any] GET"]] as const) {
    const app = newApp(rule);
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"]) {
      const response = await app.fetch(new Request("http://localhost/v1", { method }));
      assertEquals(await response.text(), method === "GET" ? body : `[any] ${method}`);
    }
  }
});

// In Go, the second route also runs after a bare status and after anything that a recorder holds. There, a guard that
// refuses a request does not prevent the second route from running.
Deno.test("Go's TestRegisterRuleOverlap: only a route that stopped without a response is followed by the next one", async () => {
  const app = fw.New();
  const users = app.Party("/users").SetRegisterRule(fw.RouteOverlap);
  users.Get("/", (ctx) => ctx.StopExecution());
  users.Get("/", (ctx) => {
    ctx.StatusCode(200);
    ctx.WriteString("data");
  });
  users.Get("/p1", (ctx) => ctx.StatusCode(401));
  users.Get("/p1", (ctx) => ctx.WriteString("not written"));
  users.Get("/p2", (ctx) => ctx.StopWithText(401, "no access"));
  users.Get("/p2", (ctx) => ctx.WriteString("not written"));
  users.Get("/p3", (ctx) => {
    ctx.Recorder();
    ctx.StopWithText(401, "no access");
  });
  users.Get("/p3", (ctx) => {
    ctx.StatusCode(200);
    ctx.WriteString("p3 data");
  });
  const test = httptest.New(app);
  await test.GET("/users").Expect().Status(200).Body("data");
  await test.GET("/users/p1").Expect().Status(401).Body("Unauthorized");
  await test.GET("/users/p2").Expect().Status(401).Body("no access");
  await test.GET("/users/p3").Expect().Status(401).Body("no access");
});

Deno.test("Go's TestPartyOnErrorCode: the error pages of the nearest party, under every rule", async () => {
  for (const rule of [fw.RouteOverride, fw.RouteSkip, fw.RouteError, fw.RouteOverlap]) {
    const app = fw.New().SetRegisterRule(rule);
    const writesPath: fw.Handler = (ctx) => ctx.WriteString(ctx.Path());
    const writes = (text: string): fw.Handler => (ctx) => ctx.WriteString(text);
    const bad: fw.Handler = (ctx) => ctx.StatusCode(400);
    app.OnErrorCode(404, writes("custom not found")).OnErrorCode(405, writes("global 405"));
    app.Get("/path", writesPath);
    const users = app.Party("/users").OnErrorCode(405, writes("users 405"));
    users.Get("/", writesPath);
    users.Get("/badrequest", bad);
    const user = users.Party("/{id:int}").OnErrorCode(405, writes("user 405")).OnErrorCode(404, writes("user 404"));
    user.Get("/", writesPath);
    user.Get("/ab/badrequest", bad);
    users.Party("/friends").Get("/{id:int}", writesPath);
    const test = httptest.New(app);
    await test.GET("/notfound").Expect().Status(404).Body("custom not found");
    await test.POST("/path").Expect().Status(405).Body("global 405");
    await test.GET("/path").Expect().Status(200).Body("/path");
    await test.POST("/users").Expect().Status(405).Body("users 405");
    await test.POST("/users/42").Expect().Status(405).Body("user 405");
    await test.GET("/users/42").Expect().Status(200).Body("/users/42");
    // A path that is not below "/users/{id:int}" has the page of the party above it.
    await test.GET("/users/ab").Expect().Status(404).Body("custom not found");
    await test.GET("/users/42/friends/dsa").Expect().Status(404).Body("user 404");
    await test.GET("/users/42/ab/badrequest").Expect().Status(400).Body("Bad Request");
    await test.GET("/users/badrequest").Expect().Status(400).Body("Bad Request");
  }
});
