import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { bothWays, logged, quiet } from "../../../serving.ts";

const user = fw.Key<string>("user");

function application(): fw.Application {
  const app = quiet();
  let seen = 0;
  app.UseRouter((ctx) => {
    ctx.Header("x-seen", String(++seen));
    ctx.Values().Set(user, "ada");
    return ctx.Next();
  });
  app.Get("/teas/{id:int}", (ctx) => ctx.JSON([ctx.Params().Get("id"), ctx.Path(), ctx.URLParam("q"), ctx.Method()]));
  app.Get("/whoami", (ctx) => ctx.WriteString(ctx.Values().Get(user) ?? ""));
  app.Post("/form", async (ctx) => ctx.WriteString(await ctx.PostValue("a")));
  app.Get("/later", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("later");
  });
  app.Get("/refuse", () => {
    throw new fw.HTTPError(409, "taken");
  });
  const guarded = app.Party("/guarded", (ctx) => ctx.StopWithStatus(403));
  guarded.Get("/secret", (ctx) => ctx.WriteString("secret"));
  app.Any("/exec/{path:path}", async (ctx) => {
    const before = [ctx.Path(), ctx.Params().Get("path")].join();
    await ctx.Exec(ctx.Method(), `/${ctx.Params().Get("path")}${new URL(ctx.Request().url).search}`);
    // The state of the calling handler must not change.
    if ([ctx.Path(), ctx.Params().Get("path")].join() !== before) throw new Error("the context has changed");
  });
  return app;
}

bothWays("Context.Exec() runs another route with its own path, parameters and query", application, async (ask) => {
  assertEquals(JSON.parse((await ask("/exec/teas/7?q=x")).text), ["7", "/teas/7", "x", "GET"]);
});

bothWays(
  "Context.Exec() shares the values, the body and the response, and does not run the router's middleware again",
  application,
  async (ask) => {
    const own = await ask("/exec/whoami");
    assertEquals([own.text, own.headers.get("x-seen")], ["ada", "1"]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    assertEquals((await ask("/exec/form", { method: "POST", headers, body: "a=tea" })).text, "tea");
    assertEquals((await ask("/exec/later")).text, "later");
  },
);

bothWays("Context.Exec() runs the middleware of the other route", application, async (ask) => {
  const { status, text } = await ask("/exec/guarded/secret");
  assertEquals([status, text], [403, "Forbidden"]);
});

bothWays(
  "Context.Exec() responds with 404 for an unknown path, and rethrows errors of the other route",
  application,
  async (ask) => {
    assertEquals((await ask("/exec/nowhere")).status, 404);
    assertEquals((await ask("/exec/teas/x")).status, 404);
    assertEquals((await ask("/exec/whoami", { method: "POST" })).status, 404);
    const refused = await ask("/exec/refuse");
    assertEquals([refused.status, refused.text], [409, "taken"]);
  },
);

Deno.test("Context.Exec() returns to the calling handler, which can continue to write and catch errors of the other route", async () => {
  const app = quiet();
  app.Get("/part", (ctx) => ctx.WriteString("part"));
  app.Get("/broken", () => {
    throw new Error("boom");
  });
  app.Get("/whole", (ctx) => {
    ctx.WriteString("<");
    ctx.Exec("GET", "/part");
    ctx.WriteString(">");
  });
  app.Get("/careful", (ctx) => {
    try {
      ctx.Exec("GET", "/broken");
    } catch (error) {
      ctx.WriteString(`caught ${(error as Error).message}`);
    }
  });
  for (const [path, text] of [["/whole", "<part>"], ["/careful", "caught boom"]]) {
    assertEquals(await (await app.fetch(new Request(`http://localhost${path}`))).text(), text);
  }
});

Deno.test("Context.Exec() uses GET handlers for HEAD and stays in the subdomain of the request", async () => {
  const app = quiet();
  app.Get("/page", (ctx) => ctx.WriteString("root"));
  const admin = app.Subdomain("admin");
  admin.Get("/page", (ctx) => ctx.WriteString("admin"));
  admin.Get("/exec", (ctx) => ctx.Exec("HEAD", "/page"));
  const response = await app.fetch(new Request("http://admin.localhost/exec"));
  assertEquals(await response.text(), "admin");
});

Deno.test("Context.Exec() logs with the fields of the request", async () => {
  const { app, lines } = logged();
  app.Get("/inner", (ctx) => ctx.Logger().Info("inner"));
  app.Get("/outer", (ctx) => {
    ctx.SetID("r1");
    ctx.Exec("GET", "/inner");
  });
  await app.fetch(new Request("http://localhost/outer"));
  assertEquals(lines, ["[INFO] inner request_id=r1"]);
});

for (const kind of ["synchronous", "asynchronous"]) {
  Deno.test(`Context.Exec() ends ${kind} handlers that run each other`, async () => {
    const { app, lines } = logged();
    let runs = 0;
    const run = (path: string): fw.Handler => (ctx) => {
      runs++;
      return kind === "synchronous" ? ctx.Exec("GET", path) : Promise.resolve().then(() => ctx.Exec("GET", path));
    };
    app.Get("/a", run("/b"));
    app.Get("/b", run("/a"));
    assertEquals((await app.fetch(new Request("http://localhost/a"))).status, 500);
    assertEquals(runs, 101);
    assertStringIncludes(lines.join("\n"), 'Cannot run "/b": its handlers run each other');
  });
}
