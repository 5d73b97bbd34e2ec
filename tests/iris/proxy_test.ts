import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as accesslog from "@fw/web/middleware/accesslog";
import { assertEquals } from "@std/assert";
import { overSocket, quiet } from "../serving.ts";

/** Compresses text. */
async function packed(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

Deno.test("example request-logger/accesslog-proxy: a proxy with a log of its own", async () => {
  const target = quiet();
  target.Get("/", (ctx) => ctx.WriteString("OK"));
  target.Post("/read-write", async (ctx) => {
    const [body] = await ctx.ReadJSON();
    ctx.JSON({ body, address: ctx.GetHeader("x-forwarded-for") });
  });
  await overSocket(target, async (_ask, port) => {
    const app = quiet();
    const [all, proxied]: string[][] = [[], []];
    const bodies = { Format: "json", RequestBody: true, ResponseBody: true } as const;
    app.UseRouter(accesslog.New({ ...bodies, Output: (line) => void all?.push(line) }).Handler());
    app.Get("/", (ctx) => ctx.WriteString("OK"));
    const proxy = app.Party("/proxy");
    proxy.UseRouter(accesslog.New({ ...bodies, Output: (line) => void proxied?.push(line) }).Handler());
    proxy.Use((ctx) => {
      ctx.CompressReader();
      return ctx.Next();
    });
    for (const path of ["/", "/{p:path}"]) proxy.Any(path, fw.Proxy(`http://127.0.0.1:${port}`));

    const test = httptest.New(app);
    await test.GET("/").Expect().Body("OK");
    await test.GET("/proxy").Expect().Status(200).Body("OK");
    await test.POST("/proxy/read-write").WithJSON({ a: 1 }).Expect().JSON({ body: { a: 1 }, address: "127.0.0.1" });
    const call = test.POST("/proxy/read-write").WithBody(await packed('{"a":2}')).WithHeader("content-encoding", "gzip")
      .WithHeader("content-type", "application/json");
    await call.Expect().JSON({ body: { a: 2 }, address: "127.0.0.1" });
    await test.GET("/proxy/nowhere").Expect().Status(404);
    assertEquals([all?.length, proxied?.length], [5, 4]);
    assertEquals(JSON.parse(proxied?.[1] ?? "").response, '{"body":{"a":1},"address":"127.0.0.1"}');
  });
});

Deno.test("example core/host: urlpath, content with ranges and a redirect behind the proxy", async () => {
  const target = quiet();
  target.Get("/pages/{a}/{b}", (ctx) => ctx.ServeContent(`${ctx.Params().Get("a")}${ctx.Params().Get("b")}`, "p.txt"))
    .SetName("page");
  target.Get("/first", (ctx) => ctx.Redirect(ctx.URLPath("page", ["param1", "param2"])));
  await overSocket(target, async (_ask, port) => {
    const app = quiet();
    app.Party("/site").Any("/{p:path}", fw.Proxy(`http://127.0.0.1:${port}`));
    const test = httptest.New(app);
    await test.GET("/site/first").Expect().Status(302).Header("location", "/site/pages/param1/param2");
    await test.GET("/site/first").WithHeader("range", "bytes=0-5").Follow().Expect().Status(206).Body("param1");
  });
});
