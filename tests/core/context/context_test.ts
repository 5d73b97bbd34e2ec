import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

bothWays("Context.Method(), Path() and Host() return the requested values", () => {
  const app = quiet();
  app.Any("/{p:path}", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.Path()} ${ctx.Host()}`));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a/b?c", { method: "PUT" })).text, "PUT /a/b localhost");
  assertEquals((await ask("/a", { headers: { host: "example.com:8080" } })).text, "GET /a example.com:8080");
  assertEquals((await ask("/a", { headers: { host: "[::1]:8080" } })).text, "GET /a [::1]:8080");
});

bothWays("Context.Request() is the platform's own request", () => {
  const app = quiet();
  app.Post("/", async (ctx) => {
    const request = ctx.Request();
    assert(request instanceof Request);
    ctx.WriteString(`${new URL(request.url).search} ${request.headers.get("x-a")} ${await request.text()}`);
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/?q=1", { method: "POST", headers: { "x-a": "b" }, body: "body" })).text, "?q=1 b body");
});

bothWays("Context.Subdomain() returns the first label before the root domain, and SubdomainFull() all of them", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(`"${ctx.Subdomain()}" "${ctx.SubdomainFull()}"`));
  return app;
}, async (ask) => {
  const of = async (host: string) => (await ask("/", { headers: { host } })).text;
  assertEquals(await of("admin.example.com"), '"admin" "admin."');
  assertEquals(await of("bob.eu.example.com:81"), '"bob" "bob.eu."');
  assertEquals(await of("example.com"), '"" ""');
  assertEquals(await of("example.com."), '"" ""');
  assertEquals(await of("127.0.0.1"), '"" ""');
});

bothWays("Context.View() uses the engine of the nearest party and the view data of handlers", () => {
  const app = quiet();
  const engine = (mark: string): fw.Engine => ({
    Load() {},
    Render: (name, data, options) => `${mark} ${name} ${JSON.stringify(data)} ${options?.Layout ?? "default"}`,
  });
  const late: fw.Engine = { Load() {}, Render: (name) => Promise.resolve(`late ${name}`) };
  app.RegisterView(engine("root"));
  app.Use((ctx) => (ctx.ViewData("user", "ada"), ctx.Next()));
  app.Get("/", (ctx) => ctx.View("index", { a: 1 }));
  app.Get("/over", (ctx) => ctx.View("index", { user: "eve" }));
  app.Get("/none", (ctx) => ctx.View("index"));
  app.Get("/list", (ctx) => ctx.View("index", [1]));
  app.Get("/null", (ctx) => ctx.View("index", null));
  app.Get("/text", (ctx) => ctx.View("index", "text"));
  app.Get("/bare", (ctx) => ctx.View("index", Object.assign(Object.create(null), { b: 1 })));
  app.Get("/layout", (ctx) => (ctx.ViewLayout("plain"), ctx.View("index")));
  app.Party("/party").RegisterView(engine("party")).Get("/", (ctx) => ctx.View("index"));
  app.Party("/late").RegisterView(late).Get("/", (ctx) => ctx.View("index"));
  app.OnErrorCode(404, (ctx) => ctx.View("missing"));
  return app;
}, async (ask) => {
  const bodies: Record<string, string> = {
    "/": 'root index {"user":"ada","a":1} default',
    "/over": 'root index {"user":"eve"} default',
    "/none": 'root index {"user":"ada"} default',
    "/list": "root index [1] default",
    "/null": "root index null default",
    "/text": 'root index "text" default',
    "/bare": 'root index {"user":"ada","b":1} default',
    "/party/nowhere": "party missing undefined default",
    "/layout": 'root index {"user":"ada"} plain',
    "/party": 'party index {"user":"ada"} default',
    "/late": "late index",
    "/nowhere": "root missing undefined default",
  };
  for (const [path, body] of Object.entries(bodies)) {
    const response = await ask(path);
    assertEquals([response.text, response.headers.get("content-type")], [body, "text/html; charset=utf-8"], path);
  }
});

bothWays("Context.View() without an engine, or with one that fails, responds with a plain 500", () => {
  const app = quiet();
  app.Get("/none", (ctx) => ctx.View("index"));
  const failing: fw.Engine = {
    Load() {},
    Render() {
      throw new Error("secret");
    },
  };
  app.Party("/fails").RegisterView(failing).Get("/", (ctx) => ctx.View("index"));
  app.Party("/later").RegisterView({ Load() {}, Render: () => Promise.reject(new Error("secret")) })
    .Get("/", (ctx) => ctx.View("index"));
  return app;
}, async (ask) => {
  for (const path of ["/none", "/fails", "/later"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [500, "Internal Server Error"], path);
  }
});

bothWays("Context.GetStatusCode() is 200 until it is changed, and 404 for middleware of unmatched requests", () => {
  const app = quiet();
  app.UseRouter((ctx) => (ctx.Header("x-status", String(ctx.GetStatusCode())), ctx.Next()));
  app.Get("/a", () => {});
  return app;
}, async (ask) => {
  const status = async (path: string, method = "GET") => (await ask(path, { method })).headers.get("x-status");
  assertEquals(await status("/a"), "200");
  assertEquals(await status("/b"), "404");
  assertEquals(await status("/a", "POST"), "405");
  assertEquals(await status("/a/"), "301");
  assertEquals(await status("/%zz"), "400");
});

bothWays("Context is never shared by concurrent requests", () => {
  const app = quiet();
  const seen = new Set<fw.Context>();
  const key = fw.Key<string>("id");
  app.Get("/{id}", async (ctx) => {
    assert(!seen.has(ctx));
    seen.add(ctx);
    ctx.Values().Set(key, ctx.Params().Get("id"));
    ctx.Header("x-id", ctx.Params().Get("id"));
    await new Promise((resolve) => setTimeout(resolve, 2));
    ctx.WriteString(ctx.Values().Get(key) ?? "");
  });
  return app;
}, async (ask) => {
  const ids = Array.from({ length: 30 }, (_, i) => `id${i}`);
  const responses = await Promise.all(ids.map((id) => ask(`/${id}`)));
  assertEquals(responses.map((response) => response.text), ids);
  assertEquals(responses.map((response) => response.headers.get("x-id")), ids);
});
