import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as compress from "@fw/web/middleware/compress";

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
