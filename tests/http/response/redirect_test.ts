import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

bothWays("Context.Redirect() responds with 302 and stops the chain", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("x-kept", "1");
    ctx.WriteString("dropped");
    ctx.ContentType("text/html");
    ctx.Redirect("/there?a=1#b");
    ctx.Header("x-stopped", String(ctx.IsStopped()));
    return ctx.Next();
  }, (ctx) => ctx.Header("x-ran", "1"));
  return app;
}, async (ask) => {
  const { status, headers, text } = await ask("/");
  assertEquals([status, headers.get("location"), text], [302, "/there?a=1#b", ""]);
  assertEquals([headers.get("x-kept"), headers.get("x-stopped"), headers.get("x-ran")], ["1", "true", null]);
  assertEquals(headers.get("content-type"), null);
});

bothWays("Context.Redirect() accepts only redirect statuses", () => {
  const app = quiet();
  app.Get("/{status}", (ctx) => {
    try {
      ctx.Redirect("/there", Number(ctx.Params().Get("status")));
    } catch (error) {
      ctx.WriteString(error instanceof fw.FrameworkError ? `${error.Code} ${error.message}` : "");
    }
  });
  return app;
}, async (ask) => {
  for (const status of [300, 301, 302, 303, 307, 308]) {
    const response = await ask(`/${status}`);
    assertEquals([response.status, response.headers.get("location")], [status, "/there"]);
  }
  for (const status of [200, 304, 305, 306, 400, 0, NaN]) {
    const response = await ask(`/${status}`);
    assertEquals(response.text, `FW_STATUS Cannot redirect with status "${status}": it is not a redirect status`);
    assertEquals([response.status, response.headers.get("location")], [200, null]);
  }
});

bothWays("Context.Redirect() escapes characters that are not allowed in a URL", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Redirect(decodeURIComponent(ctx.GetHeader("x-to"))));
  return app;
}, async (ask) => {
  const places: Readonly<Record<string, string>> = {
    "/a b": "/a%20b",
    "/grüße?ü=ß": "/gr%C3%BC%C3%9Fe?%C3%BC=%C3%9F",
    "/😀": "/%F0%9F%98%80",
    "/already%20escaped": "/already%20escaped",
    "https://example.com:8443/a?b=c&d=[1]#e": "https://example.com:8443/a?b=c&d=[1]#e",
    "//example.com/": "//example.com/",
    '/"<>\\^`{|}': "/%22%3C%3E%5C%5E%60%7B%7C%7D",
    "/\ttab": "/%09tab",
    "relative": "relative",
    "?query": "?query",
  };
  for (const [to, location] of Object.entries(places)) {
    const response = await ask("/", { headers: { "x-to": encodeURIComponent(to) } });
    assertEquals([response.status, response.headers.get("location")], [302, location]);
  }
});

bothWays("Context.Redirect() writes a lone surrogate as the replacement character", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Redirect("/\ud800x"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("location"), "/%EF%BF%BDx");
});

for (
  const [what, url] of Object.entries({ LF: "/a\nx-injected: 1", CR: "/a\rx-injected: 1", NUL: "/a\0", DEL: "/a\x7f" })
) {
  bothWays(`Context.Redirect() rejects ${what}`, () => {
    const app = quiet();
    app.Get("/", (ctx) => ctx.Redirect(url));
    return app;
  }, async (ask) => {
    const { status, headers } = await ask("/");
    assertEquals([status, headers.get("location"), headers.get("x-injected")], [500, null, null]);
  });
}

bothWays("Context.Redirect() works from middleware and after a returned Response", () => {
  const app = quiet();
  app.Get("/guard", (ctx) => ctx.Redirect("/login", 303), (ctx) => ctx.WriteString("main"));
  app.Get("/after", async (ctx) => {
    await ctx.Next();
    ctx.Redirect("/there");
  }, () => new Response("dropped", { status: 201, headers: { "x-dropped": "1" } }));
  return app;
}, async (ask) => {
  assertEquals((await ask("/guard")).status, 303);
  const after = await ask("/after");
  assertEquals([after.status, after.text, after.headers.get("x-dropped")], [302, "", null]);
});
