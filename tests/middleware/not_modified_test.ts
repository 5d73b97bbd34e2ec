import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as etag from "@fw/web/middleware/etag";
import { assertEquals } from "@std/assert";
import { bothWays, quiet } from "../serving.ts";

const file = new URL("../../deno.json", import.meta.url);

function describe(ctx: fw.Context): void {
  ctx.Header("content-language", "de");
  ctx.Header("content-disposition", "inline");
  ctx.Header("cache-control", "max-age=60");
  ctx.Header("vary", "Accept-Language");
  ctx.Header("etag", '"one"');
}

const routes: Readonly<Record<string, readonly fw.Handler[]>> = {
  "/status": [(ctx) => {
    describe(ctx);
    ctx.ContentType("text/html");
    ctx.StatusCode(304);
  }],
  "/text": [(ctx) => {
    describe(ctx);
    ctx.HTML("<p>");
    ctx.StatusCode(304);
  }],
  "/json": [(ctx) => {
    describe(ctx);
    ctx.JSON({ a: 1 });
    ctx.StatusCode(304);
  }],
  "/etag": [etag.New(), (ctx) => {
    describe(ctx);
    ctx.HTML("<p>");
  }],
  "/cache": [cache.New(), (ctx) => {
    describe(ctx);
    ctx.HTML("<p>");
  }],
  "/file": [(ctx) => {
    describe(ctx);
    return ctx.ServeFile(file);
  }],
  "/response": [(ctx) => {
    describe(ctx);
    return new Response(null, { status: 304, headers: { "content-language": "de", etag: '"one"' } });
  }],
  "/plain": [
    () =>
      new Response(null, {
        status: 304,
        headers: { "content-language": "de", etag: '"one"', "cache-control": "max-age=60", vary: "Accept-Language" },
      }),
  ],
};

bothWays("Application sends no header that describes a body with a 304, regardless of its source", () => {
  const app = quiet();
  for (const [path, handlers] of Object.entries(routes)) app.Get(path, ...handlers);
  return app;
}, async (ask) => {
  for (const path of Object.keys(routes)) {
    if (path === "/cache") await ask(path);
    const { status, headers, text } = await ask(path, { headers: { "if-none-match": '"one"' } });
    assertEquals([status, text], [304, ""], path);
    for (const name of ["content-language", "content-type", "content-encoding", "content-disposition"]) {
      assertEquals(headers.get(name), null, `${path} ${name}`);
    }
    assertEquals([headers.get("etag"), headers.get("cache-control"), headers.get("vary")], [
      '"one"',
      "max-age=60",
      "Accept-Language",
    ], path);
  }
});

Deno.test("StaticCache() and Cache304() remove their headers from errors and temporary redirects", async () => {
  const app = quiet();
  app.UseRouter(fw.StaticCache(3_600_000), fw.Cache304(1000));
  app.Get("/page", (ctx) => ctx.WriteString("page"));
  app.Get("/throws", () => {
    throw new Error("inside");
  });
  app.Get("/forbidden", (ctx) => ctx.StopWithStatus(403));
  app.Get("/response", () => new Response("down", { status: 503 }));
  for (const status of [301, 302, 303, 307]) app.Get(`/to/${status}`, (ctx) => ctx.Redirect("/login", status));
  app.Get("/away", () => Response.redirect("http://localhost/login"));
  const inner = quiet();
  inner.Get("/guarded", (ctx) => ctx.Redirect("/login", 303));
  app.Mount("/inner", inner.fetch);
  app.Get("/own", (ctx) => {
    ctx.Header("cache-control", "max-age=5");
    ctx.StopWithStatus(410);
  });
  const of = async (path: string) => {
    const { headers } = await app.fetch(new Request(`http://localhost${path}`));
    return [headers.get("cache-control"), headers.has("last-modified")];
  };
  assertEquals(await of("/page"), ["public, max-age=3600", true]);
  assertEquals(await of("/to/301"), ["public, max-age=3600", false]);
  const redirects = ["/to/302", "/to/303", "/to/307", "/away", "/inner/guarded"];
  for (const path of ["/throws", "/forbidden", "/response", "/missing", ...redirects]) {
    assertEquals(await of(path), [null, false], path);
  }
  assertEquals(await of("/own"), ["max-age=5", false], "what a handler says of its error stays");
});

Deno.test("Cache304() ignores If-Modified-Since in writes and next to If-None-Match", async () => {
  const app = quiet();
  app.Use(fw.Cache304(60_000));
  app.Any("/", (ctx) => ctx.WriteString("ran"));
  const since = { "if-modified-since": new Date(Date.now() - 2000).toUTCString() };
  const statusOf = async (method: string, headers: Record<string, string>) => {
    const response = await app.fetch(new Request("http://localhost/", { method, headers }));
    await response.body?.cancel();
    return response.status;
  };
  for (const method of ["GET", "HEAD"]) {
    assertEquals(await statusOf(method, since), 304, method);
    assertEquals(await statusOf(method, { ...since, "if-none-match": '"other"' }), 200, method);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) assertEquals(await statusOf(method, since), 200, method);
});
