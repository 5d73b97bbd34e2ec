import * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as cache from "@fw/web/middleware/cache";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as rewrite from "@fw/web/middleware/rewrite";
import { assertEquals } from "@std/assert";
import { overSocket, quiet } from "../../serving.ts";

function rewritten(): fw.Application {
  const app = quiet();
  app.WrapRouter(methodoverride.New());
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/new/{rest}" }] }));
  return app;
}

Deno.test("RequestTarget: the context has the effective values, and the request the original ones", async () => {
  const app = rewritten().Configure(fw.WithProxy({ Trust: ["127.0.0.0/8"] }));
  app.Any("/new/{rest:path}", (ctx) => {
    ctx.JSON({
      method: ctx.Method(),
      path: ctx.Path(),
      url: ctx.FullRequestURI(),
      link: ctx.AbsoluteURI("/x"),
      sent: ctx.RequestPath(),
      arrived: ctx.Request().method,
    });
  });
  const headers = {
    "x-http-method-override": "PUT",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "shop.example",
  };
  await overSocket(app, async (ask) => {
    const { text } = await ask("/old/./a%20b//c?q=1", { method: "POST", headers });
    assertEquals(JSON.parse(text), {
      method: "PUT",
      path: "/new/a b/c",
      url: "https://shop.example/new/a%20b/c?q=1",
      link: "https://shop.example/x",
      sent: "/old/./a%20b//c",
      arrived: "POST",
    });
  });
});

Deno.test("RequestTarget: logs show the effective values", async () => {
  const app = rewritten();
  const entries: string[] = [];
  const log = accesslog.New({
    Format: ({ Method, Path, Route }) => `${Method} ${Path} ${Route}`,
    Output: (line) => entries.push(line.trim()),
    Query: true,
  });
  app.UseRouter(log.Handler());
  app.Any("/new/{rest:path}", (ctx) => ctx.WriteString("ok"));
  await overSocket(app, async (ask) => {
    await ask("/old/a?q=1", { method: "POST", headers: { "x-http-method-override": "DELETE" } });
    await ask("/x/../new//b");
  });
  await log.Close();
  assertEquals(entries, ["DELETE /new/a?q=1 /new/{rest:path}", "GET /new/b /new/{rest:path}"]);
});

Deno.test("RequestTarget: a page has the same cache key regardless of the spelling or rewriting of its path", async () => {
  const app = rewritten();
  let runs = 0;
  const pages = app.Party("/new", cache.New({ MaxAge: 60_000 }));
  pages.Get("/page/{id:int}", (ctx) => ctx.WriteString(`run ${++runs}`));
  pages.Post("/page/{id:int}", (ctx) => ctx.WriteString("written"));
  pages.Get("/rest/{rest:path}", (ctx) => ctx.WriteString(ctx.Params().Get("rest")));
  await overSocket(app, async (ask) => {
    for (const path of ["/new/page/7", "/old/page/7", "//new/page/7", "/new/x/../page/%37"]) {
      assertEquals((await ask(path)).text, "run 1", path);
    }
    // A write to the old path invalidates the cached page of the new one.
    assertEquals((await ask("/old/page/7", { method: "POST" })).text, "written");
    assertEquals((await ask("/new/page/7")).text, "run 2");
    // If a value keeps its slashes, two spellings are different pages.
    assertEquals((await ask("/new/rest/https://x")).text, "https://x");
    assertEquals((await ask("/new/rest/https:/x")).text, "https:/x");
  });
});

Deno.test("RequestTarget: an absolute URL without a path requests the root", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(`root ${ctx.Host()} ${ctx.URLParam("q")}`));
  app.Get("/inner", (ctx) => ctx.WriteString("inner"));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("http://localhost?q=/inner")).text, "root localhost /inner");
    assertEquals((await ask("http://localhost?/inner")).text, "root localhost ");
  });
});

Deno.test("Context.Host() and FullRequestURI() never fail for a host that a client sends", async () => {
  const app = quiet();
  app.Get("/full", (ctx) => ctx.WriteString(`${ctx.Host()} ${ctx.FullRequestURI()} ${ctx.Subdomain()}`));
  const unchecked = quiet().Configure(fw.WithoutHostCheck);
  unchecked.Get("/full", (ctx) => ctx.WriteString(`[${ctx.Host()}] ${ctx.FullRequestURI()}`));
  const bad = ["[::1", "x:80a", "]x[", "x:99999", "1.2.3.400", "[zz]", "x:80:80", "x y", "é"];
  await overSocket(app, async (ask) => {
    for (const host of bad) assertEquals((await ask("/full", { headers: { host } })).status, 400, host);
    assertEquals(
      (await ask("/full", { headers: { host: "a.b.example:80" } })).text,
      "a.b.example:80 http://a.b.example/full a",
    );
    assertEquals((await ask("/full", { headers: { host: "" } })).status, 200);
  });
  await overSocket(unchecked, async (ask) => {
    for (const host of bad) {
      const { status } = await ask("/full", { headers: { host } });
      assertEquals(status < 500, true, `${host} ${status}`);
    }
  });
});
