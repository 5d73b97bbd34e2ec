import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { withFolder } from "./folder.ts";

/** Runs the same requests in process and over a socket. */
async function bothWays(
  app: fw.Application,
  work: (get: (path: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  await work(async (path) => await app.fetch(new Request(`http://127.0.0.1${path}`)));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => app.fetch(request));
  try {
    await work((path) => fetch(`http://127.0.0.1:${server.addr.port}${path}`));
  } finally {
    await server.shutdown();
  }
}

/** Creates an application that collects its log lines. */
function logged(): { app: fw.Application; lines: string[] } {
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput((line) => void lines.push(line));
  return { app, lines };
}

Deno.test("Party.RegisterView() sets the engine of a party and its nested parties", async () => {
  await withFolder({ "site/page.html": "site", "admin/page.html": "admin" }, async (folder) => {
    const app = fw.New();
    app.RegisterView(fw.HTML(`${folder}/site`));
    app.Get("/", (ctx) => ctx.View("page"));
    const admin = app.Party("/admin").RegisterView(fw.HTML(`${folder}/admin`));
    admin.Get("/", (ctx) => ctx.View("page"));
    admin.Party("/deep").Get("/", (ctx) => ctx.View("page"));
    await bothWays(app, async (get) => {
      assertEquals(await (await get("/")).text(), "site");
      assertEquals(await (await get("/admin")).text(), "admin");
      assertEquals(await (await get("/admin/deep")).text(), "admin");
    });
  });
});

Deno.test("Context.View() renders HTML with the data of middleware and the handler, whose data takes precedence", async () => {
  await withFolder({ "page.html": "<%= it.User %>,<%= it.Title %>", "main.html": "[<%~ body %>]" }, async (folder) => {
    const app = fw.New();
    app.RegisterView(fw.HTML(folder).Layout("main"));
    app.Use((ctx) => {
      ctx.ViewData("User", "Ann & Bob");
      ctx.ViewData("Title", "none");
      return ctx.Next();
    });
    app.Get("/", (ctx) => ctx.View("page", { Title: "Home" }));
    app.Get("/bare", (ctx) => {
      ctx.ViewLayout(fw.NoLayout);
      return ctx.View("page");
    });
    await bothWays(app, async (get) => {
      const response = await get("/");
      assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
      assertEquals(await response.text(), "[Ann &amp; Bob,Home]");
      assertEquals(await (await get("/bare")).text(), "Ann &amp; Bob,none");
    });
  });
});

Deno.test("Context.View() waits for an engine that returns a promise", async () => {
  const app = fw.New();
  app.RegisterView({
    Load: () => Promise.resolve(),
    Render: (name, data) => Promise.resolve(`${name}:${JSON.stringify(data)}`),
  });
  app.Get("/", (ctx) => ctx.View("page", { A: 1 }));
  await bothWays(app, async (get) => {
    assertEquals(await (await get("/")).text(), 'page:{"A":1}');
  });
});

Deno.test("Context.View() responds with a plain 500 for a failing template and logs file, line and excerpt", async () => {
  await withFolder({ "secret.html": "<p>\n<%= it.Secret.Word %>\n</p>" }, async (folder) => {
    const { app, lines } = logged();
    app.RegisterView(fw.HTML(folder));
    app.Get("/broken", (ctx) => ctx.View("secret"));
    app.Get("/absent", (ctx) => ctx.View("secrets"));
    await bothWays(app, async (get) => {
      for (const path of ["/broken", "/absent"]) {
        const response = await get(path);
        assertEquals(response.status, 500);
        assertEquals(await response.text(), "Internal Server Error");
      }
    });
    const log = lines.join("\n");
    assertStringIncludes(log, `Cannot render template "${folder}/secret.html" at line 2`);
    assertStringIncludes(log, "\n    |   1 | <p>\n    | > 2 | <%= it.Secret.Word %>\n    |   3 | </p>\n");
    assertStringIncludes(log, `Cannot find template "secrets.html" in "${folder}"`);
  });
});

Deno.test("Application.Build() fails for a broken template", async () => {
  await withFolder({ "broken.html": "<%= ( %>" }, (folder) => {
    const app = fw.New();
    app.Party("/somewhere").RegisterView(fw.HTML(folder));
    const error = assertThrows(() => app.Build(), fw.FrameworkError);
    assertStringIncludes(error.message, `Cannot compile template "${folder}/broken.html" at line 1`);
  });
});

Deno.test("fw.WithDevelopment reloads templates and tolerates one that is invalid from the start", async () => {
  await withFolder({ "page.html": "<%= ( %>", "other.html": "other" }, async (folder) => {
    const app = fw.New().Configure(fw.WithDevelopment);
    app.Logger().SetLevel("disable");
    app.RegisterView(fw.HTML(folder));
    app.Get("/{name}", (ctx) => ctx.View(ctx.Params().Get("name")));
    await bothWays(app, async (get) => {
      Deno.writeTextFileSync(`${folder}/page.html`, "<%= ( %>");
      const broken = await get("/page");
      assertEquals([broken.status, await broken.text()], [500, "Internal Server Error"]);
      assertEquals(await (await get("/other")).text(), "other");
      Deno.writeTextFileSync(`${folder}/page.html`, "mended");
      assertEquals(await (await get("/page")).text(), "mended");
    });
  });
});

Deno.test("Context.View() renders a changed file on the next request if reloading is enabled", async () => {
  await withFolder({ "page.html": "old" }, async (folder) => {
    const app = fw.New();
    app.RegisterView(fw.HTML(folder).Reload());
    app.Get("/", (ctx) => ctx.View("page"));
    let version = 0;
    await bothWays(app, async (get) => {
      for (let round = 0; round < 3; round++) {
        Deno.writeTextFileSync(`${folder}/page.html`, `version ${++version}`);
        assertEquals(await (await get("/")).text(), `version ${version}`);
      }
    });
  });
});
