import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "@fw/web";
import { bothWays, logged } from "../../serving.ts";

const lines: string[] = [];

function newApp(): fw.Application {
  const { app, lines: own } = logged();
  own.length = 0;
  app.Logger().SetOutput((line) => lines.push(line));
  app.Subdomain("*.").Get("/orders/{id}", () => {}).SetName("orders");
  app.Subdomain("admin").Get("/", () => {}).SetName("admin");
  app.Get("/items/{id}", () => {}).SetName("item");
  const show: fw.Handler = (ctx) => {
    const values = JSON.parse(ctx.URLParam("values"));
    ctx.Text(
      ctx.URLParam("path") === ""
        ? ctx.URL(ctx.URLParam("name"), ...values)
        : ctx.URLPath(ctx.URLParam("name"), ...values),
    );
  };
  app.Get("/show", show);
  app.Subdomain("*.").Get("/show", show);
  return app;
}

bothWays("Context.URL() needs the value of a wildcard subdomain, on every host", newApp, async (ask) => {
  for (const host of ["example.com", "tea.example.com"]) {
    const url = async (name: string, values: unknown[], path = "") => {
      const query = new URLSearchParams({ name, values: JSON.stringify(values), path });
      const { status, text } = await ask(`/show?${query}`, { headers: { host } });
      return status === 200 ? text : String(status);
    };
    assertEquals(await url("orders", ["shop", 5]), "http://shop.example.com/orders/5", host);
    assertEquals(await url("orders", [5]), "500", host);
    assertEquals(await url("orders", [5], "yes"), "/orders/5", host);
    assertEquals(await url("orders", ["*", 5]), "500", host);
    assertEquals(await url("admin", []), "http://admin.example.com/", host);
    assertEquals(await url("item", ["a\ud800b"]), "500", host);
    assertEquals(await url("item", ["é/"]), "500", host);
  }
  assertStringIncludes(lines.join(), 'Cannot build a URL for "orders": pass the value of its subdomain first');
  assertStringIncludes(lines.join(), "FW_PARAM");
  assertEquals(lines.join().includes("URIError"), false);
});
