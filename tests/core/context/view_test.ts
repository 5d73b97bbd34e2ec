import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import { logged } from "../../serving.ts";

function engine(templates: Record<string, string>): fw.HTMLEngine {
  const created = fw.HTML("");
  for (const [name, text] of Object.entries(templates)) created.ParseTemplate(name, text);
  return created;
}

function site(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

async function text(app: fw.Application, path = "/"): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`))).text();
}

Deno.test("Context.ViewEngine() chooses the engine for the rest of the request", async () => {
  const app = site();
  app.RegisterView(engine({ "a.html": "first" }));
  const second = engine({ "a.html": "second" });
  app.Get("/", (ctx) => ctx.View("a"));
  app.Get("/second", (ctx) => {
    ctx.ViewEngine(second);
    return ctx.View("a");
  });
  assertEquals([await text(app), await text(app, "/second"), await text(app)], ["first", "second", "first"]);
});

Deno.test("Context.View() names RegisterView in the log if there is no engine", async () => {
  const { app, lines } = logged();
  app.Get("/", (ctx) => ctx.View("a"));
  assertEquals(await text(app), "Internal Server Error");
  assertStringIncludes(lines.join(""), 'Cannot render "a": no view engine is registered; call RegisterView first');
});

Deno.test("Context.GetViewData() returns the values that handlers stored", async () => {
  const app = site();
  app.Use((ctx) => {
    ctx.ViewData("a", 1);
    return ctx.Next();
  });
  app.Get("/", (ctx) => ctx.JSON({ ...ctx.GetViewData() }));
  const bare = site();
  bare.Get("/", (ctx) => ctx.JSON(ctx.GetViewData()));
  assertEquals([await text(app), await text(bare)], ['{"a":1}', "null"]);
});

Deno.test("Party.Layout() applies to a party's pages and error pages, unless a handler or template overrides it", async () => {
  const app = site();
  app.RegisterView(
    engine({
      "page.html": "page",
      "own.html": `<% layout("b") %>own`,
      "a.html": "a(<%~ body %>)",
      "b.html": "b(<%~ body %>)",
      "e.html": "e(<%~ body %>)",
    }).Layout("e"),
  );
  app.Get("/", (ctx) => ctx.View("page"));
  const admin = app.Party("/admin").Layout("a");
  admin.Get("/", (ctx) => ctx.View("page"));
  admin.Get("/own", (ctx) => ctx.View("own"));
  admin.Get("/asked", (ctx) => {
    ctx.ViewLayout("b");
    return ctx.View("own");
  });
  admin.Get("/none", (ctx) => {
    ctx.ViewLayout(fw.NoLayout);
    return ctx.View("page");
  });
  admin.Party("/below").Get("/", (ctx) => ctx.View("page"));
  app.Party("/bare").Layout(fw.NoLayout).Get("/", (ctx) => ctx.View("page"));
  admin.OnErrorCode(404, (ctx) => ctx.View("page"));
  const got = await Promise.all(
    ["/", "/admin", "/admin/own", "/admin/asked", "/admin/none", "/admin/below", "/bare", "/admin/nowhere"].map((
      path,
    ) => text(app, path)),
  );
  assertEquals(got, ["e(page)", "a(page)", "b(own)", "b(own)", "page", "a(page)", "page", "a(page)"]);
});

Deno.test("Party.Layout() and FallbackView() apply to requests that no route of the party matches", async () => {
  const app = site();
  app.RegisterView(engine({ "a.html": "a(<%~ body %>)", "page.html": "page", "e.html": "e(<%~ body %>)" }).Layout("e"));
  app.OnErrorCode(404, (ctx) => ctx.View(ctx.Path().startsWith("/soon") ? "missing" : "page"));
  app.Party("/admin").Layout("a").Get("/gone", (ctx) => ctx.StopWithStatus(404));
  app.Party("/soon").FallbackView("page");
  const paths = ["/nothing", "/admin/gone", "/admin/nothing", "/admin", "/soon/nothing"];
  assertEquals(await Promise.all(paths.map((path) => text(app, path))), [
    "e(page)",
    "a(page)",
    "a(page)",
    "a(page)",
    "e(page)",
  ]);
});

Deno.test("FallbackView() renders another view only if a template or a layout does not exist, in order and once", async () => {
  const app = site();
  app.RegisterView(
    engine({ "soon.html": "soon <%= it.Name %>", "broken.html": "<%= it.a.b %>", "l.html": "l(<%~ body %>)" }),
  );
  app.FallbackView("missing too", "soon");
  const show = (name: string): fw.Handler => (ctx) => {
    ctx.StatusCode(203);
    return ctx.View(name, { Name: "Ada" });
  };
  app.Get("/", show("missing"));
  app.Get("/broken", show("broken"));
  app.Get("/layout", (ctx) => {
    ctx.ViewLayout("nowhere");
    ctx.FallbackView({ Layout: "l" });
    return ctx.View("soon", { Name: "Ada" });
  });
  const told: string[] = [];
  app.Get("/function", (ctx) => {
    ctx.FallbackView((ctx, error) => {
      told.push(`${error.Name} ${error.IsLayout}`);
      ctx.HTML("written");
    });
    return ctx.View("missing");
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [203, "soon Ada"]);
  assertEquals((await app.fetch(new Request("http://localhost/broken"))).status, 500);
  assertEquals(await text(app, "/layout"), "l(soon Ada)");
  assertEquals(await text(app, "/function"), "written");
  assertEquals(told, ["missing.html false"]);
});

Deno.test("Context.View() fails with the last error if no fallback exists", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => lines.push(line));
  app.RegisterView(engine({ "a.html": "a" }));
  app.FallbackView("also missing");
  app.Get("/", (ctx) => ctx.View("missing"));
  assertEquals((await app.fetch(new Request("http://localhost/"))).status, 500);
  assertStringIncludes(lines.join(), "also missing");
});

for (
  const [what, template] of [["does not exist", "nowhere"], ["fails", "bad"], ["includes one that fails", "outer"]]
) {
  Deno.test(`Context.View() logs the handler's line first if a template ${what}`, async () => {
    const { app, lines } = logged();
    app.RegisterView(
      fw.HTML("").ParseTemplate("bad.html", "<p><%= it.a.b %></p>").ParseTemplate(
        "outer.html",
        '<%~ include("bad") %>',
      ),
    );
    app.Get("/", function showPage(ctx) {
      return ctx.View(`${template}`);
    });
    app.Get("/late", async function showLater(ctx) {
      await Promise.resolve();
      await ctx.View(`${template}`);
    });
    for (const [path, name] of [["/", "showPage"], ["/late", "showLater"]]) {
      assertEquals((await app.fetch(new Request(`http://localhost${path}`))).status, 500);
      app.Logger().Flush();
      const frames = lines.splice(0).join("\n").split("\n").filter((line) => line.trimStart().startsWith("at "));
      assertMatch(frames[1] ?? "", new RegExp(`${name} \\(.*view_test\\.ts`));
    }
  });
}
