import { assertEquals } from "@std/assert";
import type * as fw from "../../mod.ts";
import { bothWays, logged, quiet } from "../serving.ts";

bothWays("spec 1.1: a handler receives the request context: query parameters and response writers", () => {
  const app = quiet();
  app.Get("/text", (ctx: fw.Context) => ctx.WriteString(ctx.URLParam("q")));
  app.Get("/html", (ctx: fw.Context) => ctx.HTML(`<b>${ctx.URLParamDefault("q", "none")}</b>`));
  app.Get("/json", (ctx: fw.Context) => ctx.JSON({ q: ctx.URLParam("q") }));
  return app;
}, async (ask) => {
  assertEquals((await ask("/text?q=a%20b")).text, "a b");
  assertEquals((await ask("/html")).text, "<b>none</b>");
  assertEquals((await ask("/json?q=1")).text, '{"q":"1"}');
});

bothWays("spec 2.1: JSON(map) writes a JSON object response, and fw.Map is its type", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    const body: fw.Map = { status: "posted", count: 2, list: [1, "a"], nested: { ok: true }, nothing: null };
    ctx.JSON(body);
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.text, '{"status":"posted","count":2,"list":[1,"a"],"nested":{"ok":true},"nothing":null}');
});

bothWays("spec 2.1: HTML(text) writes an HTML response", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.HTML("<h1>Hello</h1>"));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.headers.get("content-type"), response.text], ["text/html; charset=utf-8", "<h1>Hello</h1>"]);
});

bothWays("spec 2.1: WriteString(text) writes a plain-text response body", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString("pong"));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.headers.get("content-type"), response.text], ["text/plain;charset=UTF-8", "pong"]);
});

bothWays("spec 2.1: RemoteAddr() returns the client address as a string", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "127.0.0.1");
});

bothWays("spec 2.1: Application().Logger() is the application logger, with Infof and Warnf", () => {
  const { app, lines } = logged();
  app.Get("/", (ctx) => {
    ctx.Application().Logger().Infof("id: %s; page: %d", ctx.URLParam("id"), 3);
    ctx.Application().Logger().Warnf("%v is late", ctx.URLParam("id"));
    ctx.JSON(lines);
  });
  return app;
}, async (ask) => {
  assertEquals(JSON.parse((await ask("/?id=1234")).text), ["[INFO] id: 1234; page: 3", "[WARN] 1234 is late"]);
});

bothWays("spec 2.1: Next() passes control to the next handler in the chain", () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.WriteString("1");
    return ctx.Next();
  });
  app.Get("/", (ctx) => {
    ctx.WriteString("2");
    return ctx.Next();
  }, (ctx) => ctx.WriteString("3"));
  app.Get("/stays", (ctx) => ctx.WriteString("2"), (ctx) => ctx.WriteString("3"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "123");
  assertEquals((await ask("/stays")).text, "12");
});
