import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, overSocket, quiet, readReceived, sendBytes } from "../../serving.ts";

function guarding(...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  app.UseRouter((ctx) => ctx.Path().startsWith("/admin") ? ctx.StopWithText(403, "guarded") : ctx.Next());
  app.Get("/admin", (ctx) => ctx.WriteString("secret"));
  app.Get("/admin/{rest:path}", (ctx) => ctx.WriteString("secret"));
  app.Get("/{rest:path}", (ctx) => ctx.WriteString("public"));
  return app;
}

const spellings = [
  "/admin",
  "/%61dmin",
  "/%61%64%6d%69%6e",
  "/admin/",
  "/admin/a",
  "/admin%2Fa",
  "/%61dmin?x",
  "/admin#x",
];

bothWays(
  "Context.Path() returns the path that the router matched, so no spelling can bypass a guard",
  guarding,
  async (ask) => {
    for (const path of spellings) assertEquals((await ask(path)).text, "guarded", path);
    assertEquals((await ask("/public")).text, "public");
  },
);

bothWays(
  "Context.Path() is lowercase with WithLowercaseRouting",
  () => guarding(fw.WithLowercaseRouting),
  async (ask) => {
    for (const path of [...spellings, "/ADMIN", "/%41dmin/x"]) assertEquals((await ask(path)).text, "guarded", path);
  },
);

bothWays("Context.RequestPath() returns the raw path, and Path() the decoded one", () => {
  const app = quiet();
  const show: fw.Handler = (ctx) => ctx.JSON([ctx.Path(), ctx.RequestPath()]);
  app.Get("/{rest:path}", show);
  app.OnAnyErrorCode(show);
  return app;
}, async (ask) => {
  const shown = async (path: string) => JSON.parse((await ask(path)).text);
  assertEquals(await shown("/a%20b/c?d=%20"), ["/a b/c", "/a%20b/c"]);
  assertEquals(await shown("/%E2%82%AC"), ["/€", "/%E2%82%AC"]);
  assertEquals(await shown("/a%2Fb"), ["/a/b", "/a%2Fb"]);
  assertEquals(await shown("/a%252Fb"), ["/a%2Fb", "/a%252Fb"]);
  assertEquals(await shown("/plain"), ["/plain", "/plain"]);
  assertEquals(await shown("/%zz"), ["/%zz", "/%zz"]);
});

bothWays("Context.Request() limits the size of the body", () => {
  const app = quiet();
  app.Use((ctx) => (ctx.SetMaxRequestBodySize(5), ctx.Next()));
  app.Post("/", async (ctx) => {
    const request = ctx.Request();
    ctx.WriteString(`${await request.text()} ${request.headers.get("x-a")} ${request === ctx.Request()}`);
  });
  // Other frameworks create a new request from the given one.
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

Deno.test("Context.Request() of a limited body without a declared length fails if it is read", async () => {
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

bothWays("Context.Request() returns the platform's own object if the body is not limited", () => {
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
