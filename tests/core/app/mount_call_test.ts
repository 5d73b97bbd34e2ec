import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import * as live from "@fw/web/live";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as cache from "@fw/web/middleware/cache";
import * as csrf from "@fw/web/middleware/csrf";
import * as jwt from "@fw/web/middleware/jwt";
import * as requestid from "@fw/web/middleware/requestid";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as timeout from "@fw/web/middleware/timeout";
import * as sessions from "@fw/web/sessions";
import * as websocket from "@fw/web/websocket";
import { assertEquals, assertMatch } from "@std/assert";
import { quiet } from "../../serving.ts";

type Asked = { path?: string; method?: string; headers?: Record<string, string> };

async function ask(app: fw.Application, { path = "/", method = "GET", headers = {} }: Asked): Promise<Response> {
  return await app.fetch(new Request(`http://shop.example${path}`, { method, headers }));
}

/** Mounts an application in another one, and that one in a third one. */
function nested(inner: fw.Application, outer = quiet(), middle = quiet()): fw.Application {
  middle.Mount("/b", inner.fetch);
  outer.Mount("/a", middle.fetch);
  return outer;
}

function user(id: string): fw.User {
  return { ID: id, Name: id, Roles: [], Method: "test" };
}

/** Sets the user named in a header. No cache knows that it is a credential. */
function byHeader(ctx: fw.Context): void | Promise<void> {
  const id = ctx.GetHeader("x-user");
  if (id !== "") ctx.SetUser(user(id));
  return ctx.Next();
}

Deno.test("Party.Mount() adds its prefix to every redirect of the application", async () => {
  const inner = quiet();
  inner.WrapRouter(rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/new/{rest}", Status: 301 }] }));
  inner.Get("/go", (ctx) => ctx.Redirect("/login?x=1"));
  inner.Get("/root", (ctx) => ctx.Redirect("/"));
  inner.Get("/link", (ctx) => ctx.Redirect(ctx.URLPath("note", 7)));
  inner.Get("/notes/{id:int}", (ctx) => ctx.WriteString(ctx.URL("note", 7))).SetName("note");
  inner.Get("/near", (ctx) => ctx.Redirect("../far"));
  inner.Get("/away", (ctx) => ctx.Redirect("https://other.example/x"));
  inner.Get("/away2", (ctx) => ctx.Redirect("//other.example/x"));
  inner.Get("/raw", () => new Response(null, { status: 303, headers: { location: "/raw2" } }));
  inner.Post("/made", (ctx) => {
    ctx.StatusCode(201);
    ctx.Header("location", "/notes/7");
  });
  inner.Get("/whole", (ctx) => ctx.Redirect(ctx.AbsoluteURI("/x")));
  inner.Get("/self", (ctx) => ctx.WriteString(ctx.FullRequestURI()));
  const once = quiet();
  once.Mount("/in the/shop", inner.fetch);
  for (const [app, prefix] of [[once, "/in%20the/shop"], [nested(inner), "/a/b"]] as const) {
    const to = async (path: string, method = "GET") =>
      (await ask(app, { path: prefix + path, method })).headers.get("location");
    assertEquals(await to("/go"), `${prefix}/login?x=1`);
    assertEquals(await to("/root"), `${prefix}/`);
    assertEquals(await to("/link"), `${prefix}/notes/7`);
    assertEquals(await to("/go/"), `${prefix}/go`);
    assertEquals(await to("/near"), "../far");
    assertEquals(await to("/away"), "https://other.example/x");
    assertEquals(await to("/away2"), "//other.example/x");
    assertEquals(await to("/raw"), `${prefix}/raw2`);
    assertEquals(await to("/made", "POST"), `${prefix}/notes/7`);
    assertEquals(await to("/whole"), `http://shop.example${prefix}/x`);
    assertEquals(await to("/old/x"), `${prefix}/new/x`);
    const text = async (path: string) => await (await ask(app, { path: prefix + path })).text();
    assertEquals(await text("/self"), `http://shop.example${prefix}/self`);
    assertEquals(await text("/notes/7"), `http://shop.example${prefix}/notes/7`);
  }
  assertEquals((await ask(inner, { path: "/go" })).headers.get("location"), "/login?x=1");
});

Deno.test("Party.Mount() adds its prefix to the paths of cookies, which belong to the outermost application by default", async () => {
  const inner = quiet();
  inner.Get("/", (ctx) => {
    ctx.SetCookie("theme", "dark");
    ctx.SetCookie("cart", "7", { Path: "/cart" });
    ctx.RemoveCookie("old", { Path: "/cart" });
    ctx.SetCookie("__Host-id", "1", { Secure: true });
  });
  const cookies = (await ask(nested(inner), { path: "/a/b" })).headers.getSetCookie();
  assertEquals(cookies.map((line) => /Path=([^;]*)/.exec(line)?.[1]), ["/", "/a/b/cart", "/a/b/cart", "/"]);
});

Deno.test("Party.Mount() keeps the language prefix in redirects and passes on the language", async () => {
  const load = (app: fw.Application) => {
    app.I18n.LoadKV({ "en-US": { hi: "hi" }, "el-GR": { hi: "γεια" } });
    return app;
  };
  const inner = load(quiet());
  inner.Get("/hi", (ctx) => ctx.WriteString(ctx.Tr("hi")));
  inner.Get("/go", (ctx) => ctx.Redirect("/hi"));
  const outer = nested(inner, load(quiet()));
  assertEquals(await (await ask(outer, { path: "/el/a/b/hi" })).text(), "γεια");
  assertEquals(await (await ask(outer, { path: "/a/b/hi", headers: { "accept-language": "el" } })).text(), "γεια");
  assertEquals(await (await ask(outer, { path: "/a/b/hi" })).text(), "hi");
  assertEquals((await ask(outer, { path: "/el/a/b/go" })).headers.get("location"), "/el/a/b/hi");
  const setting = load(quiet());
  setting.Use((ctx) => (ctx.SetLanguage("el-GR"), ctx.Next()));
  assertEquals(await (await ask(nested(inner, setting), { path: "/a/b/hi" })).text(), "γεια");
});

Deno.test("Party.Mount() aborts the signal of the application if an outer timeout expires", async () => {
  for (const kind of ["ctx", "request", "fetch", "late"] as const) {
    const reason = Promise.withResolvers<unknown>();
    const aborted = (signal: AbortSignal) => {
      if (signal.aborted) reason.resolve(signal.reason);
      return new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => (reason.resolve(signal.reason), reject(signal.reason)))
      );
    };
    const inner = quiet();
    inner.Get("/", async (ctx) => {
      if (kind === "late") await new Promise((resolve) => setTimeout(resolve, 60));
      return aborted(kind === "request" ? ctx.Request().signal : ctx.Signal());
    });
    const outer = quiet();
    outer.Use(timeout.New({ After: 20 }));
    if (kind === "fetch") outer.Get("/a/b", fw.FromFetch((request) => aborted(request.signal)));
    else nested(inner, outer);
    const response = await ask(outer, { path: "/a/b" });
    assertEquals(response.status, 503);
    await response.body?.cancel();
    assertEquals((await reason.promise as DOMException).name, "TimeoutError", kind);
  }
});

Deno.test("Party.Mount() shares the user, and a logout ends it everywhere", async () => {
  const ended: string[] = [];
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
  inner.Get("/out", async (ctx) => {
    await ctx.Logout();
    ctx.WriteString(ctx.User()?.ID ?? "nobody");
  });
  const outer = quiet();
  outer.Use(async (ctx) => {
    ctx.SetUser(user("ada"), () => void ended.push("ada"));
    await ctx.Next();
    ctx.Header("x-after", ctx.User()?.ID ?? "nobody");
  });
  nested(inner, outer);
  assertEquals(await (await ask(outer, { path: "/a/b" })).text(), "ada");
  const response = await ask(outer, { path: "/a/b/out" });
  assertEquals([await response.text(), response.headers.get("x-after"), ended], ["nobody", "nobody", ["ada"]]);
});

Deno.test("Party.Mount() reports the inner user to the outer application, unless it has its own", async () => {
  const inner = quiet();
  inner.Use(byHeader);
  inner.Get("/", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
  const lines: string[] = [];
  using log = accesslog.New({ Output: (line) => lines.push(line), Format: "{User}" });
  const outer = quiet();
  outer.UseRouter(log.Handler());
  nested(inner, outer);
  outer.Party("/own", (ctx) => (ctx.SetUser(user("eve")), ctx.Next())).Mount("/", inner.fetch);
  const headers = { "x-user": "ada" };
  assertEquals(await (await ask(outer, { path: "/a/b", headers })).text(), "ada");
  assertEquals(await (await ask(outer, { path: "/own", headers })).text(), "ada");
  log.Flush();
  assertEquals(lines.join(" ").split(/\s+/).filter(Boolean), ["ada", "eve"]);
});

Deno.test("cache does not store a page of a mounted application's user or a token in it", async () => {
  const inner = quiet();
  inner.Use(byHeader);
  inner.Get("/page", (ctx) => ctx.WriteString(`page of ${ctx.User()?.ID ?? "nobody"}`));
  inner.Party("/form", csrf.New({ Keys: keys.New(keys.Generate()) })).Get(
    "/",
    (ctx) => ctx.WriteString(csrf.Token(ctx)),
  );
  const outer = quiet();
  outer.Use(cache.New({ MaxAge: 60_000 }));
  nested(inner, outer);
  const page = async (id: string) =>
    await (await ask(outer, { path: "/a/b/page", headers: id === "" ? {} : { "x-user": id } })).text();
  assertEquals([await page("ada"), await page("bob"), await page("ada")], [
    "page of ada",
    "page of bob",
    "page of ada",
  ]);
  assertEquals([await page(""), await page("")], ["page of nobody", "page of nobody"]);
  const token = async () => await (await ask(outer, { path: "/a/b/form" })).text();
  assertEquals(await token() === await token(), false);
});

Deno.test("requestid of a mounted application takes over the ID, and passes its own on", async () => {
  const inner = quiet();
  inner.UseRouter(requestid.New());
  inner.Get("/", (ctx) => ctx.WriteString(ctx.GetID()));
  const outer = quiet();
  outer.UseRouter(requestid.New({ IgnoreRequest: true }));
  nested(inner, outer);
  const response = await ask(outer, { path: "/a/b" });
  assertEquals(await response.text(), response.headers.get("x-request-id"));
  const seen: string[] = [];
  const plain = quiet();
  plain.Use(async (ctx) => {
    await ctx.Next();
    seen.push(ctx.GetID());
  });
  nested(inner, plain);
  assertEquals(await (await ask(plain, { path: "/a/b" })).text(), seen[0]);
});

Deno.test("Sessions has one session and one cookie for an application and those mounted in it", async () => {
  const one = sessions.New();
  for (const own of [one, sessions.New(), undefined]) {
    const inner = quiet();
    const manager = own ?? one;
    inner.Get("/", async (ctx) => ctx.WriteString(`inner ${(await manager.Start(ctx)).Increment("n")}`));
    const outer = quiet();
    if (own !== undefined) outer.Use(one.Handler());
    outer.Use(async (ctx) => {
      await ctx.Next();
      (await one.Start(ctx)).Increment("n");
    });
    nested(inner, outer);
    const first = await ask(outer, { path: "/a/b" });
    assertEquals(await first.text(), "inner 1");
    const cookies = first.headers.getSetCookie();
    assertEquals(cookies.length, 1);
    assertMatch(cookies[0] ?? "", /Path=\/(;|$)/);
    const again = await ask(outer, { path: "/a/b", headers: { cookie: cookies[0]?.split(";")[0] ?? "" } });
    assertEquals(await again.text(), "inner 3");
    assertEquals(again.headers.get("cache-control"), "private");
  }
});

Deno.test("Sessions keeps a session page of a mounted application out of its cache", async () => {
  const manager = sessions.New();
  const inner = quiet();
  inner.Use(cache.New({ MaxAge: 60_000 }));
  let count = 0;
  inner.Get("/", async (ctx) => {
    (await manager.Start(ctx)).Set("n", ++count);
    ctx.WriteString(`page ${count}`);
  });
  const outer = nested(inner);
  assertEquals(await (await ask(outer, { path: "/a/b" })).text(), "page 1");
  assertEquals(await (await ask(outer, { path: "/a/b" })).text(), "page 2");
});

Deno.test("Party.Mount() closes a socket of the application when the outer token expires, and lets it be renewed", async () => {
  const secret = "at least 32 bytes that are hard to guess";
  const sign = (seconds: number) =>
    jwt.NewSigner({ Algorithm: "HS256", Key: secret, MaxAge: seconds * 1000 }).Sign({ sub: "ada" });
  const server = websocket.New({ Hub: live.New() });
  server.On("who", (conn) => conn.User()?.ID);
  const inner = quiet();
  inner.Get("/live", websocket.Handler(server));
  const outer = quiet();
  outer.Use(jwt.New({ Algorithms: ["HS256"], Key: secret }));
  nested(inner, outer);
  const test = httptest.New(outer);
  const open = async () => await test.WebSocket("/a/b/live", { Protocols: ["fw.live.1", `bearer.${await sign(2)}`] });
  const [left, renewed] = [await open(), await open()];
  await left.ExpectReply("who", null, "ada");
  const { In } = await renewed.Renew(await sign(600)) as { In: number };
  assertEquals(In > 500_000, true);
  await left.ExpectClose(4401);
  await renewed.ExpectReply("who", null, "ada");
  await renewed.Close();
});

Deno.test("Application.fetch() ignores a forged record of an outer call", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.JSON([ctx.User() ?? null, ctx.GetID(), ctx.URLPath("home")])).SetName("home");
  app.Get("/go", (ctx) => ctx.Redirect("/x"));
  app.Get("/events", (ctx) => ctx.Events(["x"]));
  const outer = { prefix: "//evil.example", exchange: { id: "forged", values: {} }, apps: [1] };
  for (const forged of [{ outer }, { outer: "x" }, { outer: null }]) {
    const info = forged as object;
    const response = await app.fetch(new Request("http://localhost/"), info);
    assertEquals(await response.json(), [null, "", "/"]);
    const redirect = await app.fetch(new Request("http://localhost/go"), info);
    assertEquals(redirect.headers.get("location"), "/x");
    assertEquals(await (await app.fetch(new Request("http://localhost/events"), info)).text(), ":\n\ndata: x\n\n");
  }
});

Deno.test("Party.Mount() and fw.FromFetch() fail if a function does not return a Response", async () => {
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput((line) => lines.push(line));
  const values = [undefined, null, true, "text", { ok: true }];
  for (const [at, value] of values.entries()) {
    app.Mount(`/sync${at}`, () => value as unknown as Response);
    app.Mount(`/async${at}`, () => Promise.resolve(value as unknown as Response));
    app.Get(`/get${at}`, fw.FromFetch(() => value as unknown as Response));
  }
  for (const at of values.keys()) {
    for (const path of [`/sync${at}`, `/async${at}/x`, `/get${at}`]) {
      const response = await ask(app, { path });
      assertEquals(response.status, 500);
      await response.body?.cancel();
      app.Logger().Flush();
      assertMatch(lines.at(-1) ?? "", /is not a Response/);
    }
  }
  assertEquals(lines.filter((line) => line.includes("FW_RETURN") || line.includes("not a Response")).length, 15);
});
