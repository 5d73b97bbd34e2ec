import { assertEquals } from "@std/assert";
import { bothWays, overSocket, quiet, readReceived, sendBytes } from "../serving.ts";

bothWays("Context.Request() counts the body where its size is limited", () => {
  const app = quiet();
  app.Use((ctx) => (ctx.SetMaxRequestBodySize(5), ctx.Next()));
  app.Post("/", async (ctx) => {
    const request = ctx.Request();
    ctx.WriteString(`${await request.text()} ${request.headers.get("x-a")} ${request === ctx.Request()}`);
  });
  // As another framework does it: a request created from the one that it was given.
  app.Post("/copy", async (ctx) => {
    const other = new Request(ctx.Request());
    ctx.WriteString(await other.text());
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { method: "POST", headers: { "x-a": "b" }, body: "12345" })).text, "12345 b true");
  assertEquals((await ask("/copy", { method: "POST", body: "12345" })).text, "12345");
  for (const path of ["/", "/copy"]) {
    assertEquals((await ask(path, { method: "POST", body: "123456" })).status, 413);
  }
});

Deno.test("Context.Request() of a limited body without a declared length fails where it is read", async () => {
  const app = quiet();
  app.Post("/", async (ctx) => {
    ctx.SetMaxRequestBodySize(5);
    ctx.WriteString(await ctx.Request().text());
  });
  await overSocket(app, async (_, port) => {
    const head = "POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    for (const [body, status] of [["12345", 200], ["123456", 413]] as const) {
      const bytes = new TextEncoder().encode(`${head}${body.length}\r\n${body}\r\n0\r\n\r\n`);
      assertEquals(readReceived(await sendBytes(port, bytes)).status, status);
    }
  });
});

bothWays("Context.Request() is the platform's very object where nothing is limited", () => {
  const app = quiet();
  app.Post("/", async (ctx) => {
    const read = await ctx.Request().text();
    const [body, error] = await ctx.GetBody();
    ctx.JSON([read, body === undefined, error?.message]);
  });
  return app;
}, async (ask) => {
  const response = await ask("/", { method: "POST", body: "body" });
  assertEquals(JSON.parse(response.text).slice(0, 2), ["body", true]);
});
