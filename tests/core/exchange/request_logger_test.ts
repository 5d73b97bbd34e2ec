import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { bothWays, logged } from "../../serving.ts";

bothWays("Context.Logger() adds the ID, the route and the handlers' fields for one request", () => {
  const { app, lines } = logged();
  app.UseRouter((ctx) => {
    if (ctx.GetHeader("x-id") !== "") ctx.SetID(ctx.GetHeader("x-id"));
    return ctx.Next();
  });
  app.Get("/orders/{id:int}", (ctx) => {
    ctx.Logger().AddFields({ tenant: "north" });
    ctx.Logger().Info("opened");
    ctx.WriteString(ctx.GetID());
  });
  app.Get("/plain", (ctx) => ctx.Logger().Info("plain"));
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}, async (ask) => {
  assertEquals((await ask("/orders/7", { headers: { "x-id": "r1" } })).text, "r1");
  assertEquals((await ask("/orders/7")).text, "");
  await ask("/plain");
  assertEquals(JSON.parse((await ask("/lines")).text), [
    "[INFO] opened request_id=r1 route=/orders/{id:int} tenant=north",
    "[INFO] opened route=/orders/{id:int} tenant=north",
    "[INFO] plain",
  ]);
});

Deno.test("Context.Logger() adds its fields to the lines that fw logs for the request", async () => {
  const { app, lines } = logged(fw.Default());
  app.Get("/fail/{id}", (ctx) => {
    ctx.SetID("r2");
    ctx.Logger().AddFields({ tenant: "north" });
    throw new Error("boom");
  });
  await app.fetch(new Request("http://localhost/fail/1"));
  const fields = "request_id=r2 route=/fail/{id} tenant=north";
  assertStringIncludes(lines[0] ?? "", `[ERRO] Cannot serve GET /fail/1: Error: boom ${fields}\n`);
  assertStringIncludes(lines[1] ?? "", ` GET /fail/1 ${fields}`);
});

Deno.test("Context.Logger() adds the controller and its method", async () => {
  const { app, lines } = logged();
  class Orders {
    Ctx!: fw.Context;
    GetBy(id = 0n): void {
      this.Ctx.Logger().Info(id);
    }
  }
  app.Logger().SetFormat("json");
  mvc.New(app.Party("/orders")).Handle(Orders);
  await app.fetch(new Request("http://localhost/orders/5"));
  assertEquals(JSON.parse(lines.at(-1) ?? ""), {
    level: "info",
    message: "5n",
    route: "/orders/{id:long}",
    controller: "Orders.GetBy",
  });
});
