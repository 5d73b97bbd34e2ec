import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as openapi from "@fw/web/openapi";
import * as routes from "@fw/web/routes";
import * as versioning from "@fw/web/versioning";

const info = { Title: "Tea", Version: "1" };

function quiet(): fw.Application {
  return fw.New().Configure(fw.WithLogLevel("disable"));
}

function teas(): fw.Application {
  const app = quiet();
  app.Get("/", function home(ctx) {
    ctx.JSON({});
  });
  app.Get("/teas", (ctx) => ctx.JSON([]));
  app.Get("/teas/{id:int min(1)}", (ctx) => ctx.JSON({})).SetName("tea");
  app.Get("/hidden", (ctx) => ctx.JSON({})).Describe({ Hidden: true });
  return app;
}

function pass(ctx: fw.Context): Promise<void> | undefined {
  return ctx.Next();
}

function newApp(add: (app: fw.Application) => void): fw.Application {
  const app = quiet().Configure(fw.WithSitemap("https://tea.example"));
  app.Get("/own", (ctx) => ctx.JSON([]));
  app.OnErrorCode(404, (ctx) => ctx.JSON(ctx.FindClosest(9)));
  add(app);
  return app;
}

/** All readers of routes, each of which returns the paths that it shows, except for those of the application itself. */
const readers: Readonly<Record<string, (app: fw.Application, near: string) => Promise<readonly string[]>>> = {
  list: async (app) => {
    await app.Build();
    return routes.List(app).filter(({ Hidden }) => !Hidden).map(({ Path }) => Path);
  },
  document: async (app) => Object.keys(Object((await openapi.New(info).Build(app))["paths"])),
  sitemap: async (app) => {
    const text = await (await app.fetch(new Request("http://localhost/sitemap.xml"))).text();
    return [...text.matchAll(/<loc>https:\/\/tea.example(.*?)<\/loc>/g)].map(([, path = ""]) => path || "/");
  },
  suggestions: async (app, near) => await (await app.fetch(new Request(`http://localhost${near}`))).json(),
};

/** The ways to nest applications, and what each reader shows. */
const nestings: Readonly<
  Record<string, {
    add(app: fw.Application): void;
    list: readonly string[];
    document: readonly string[];
    sitemap: readonly string[];
    /** A misspelled path outside of the mount, and the suggestion for it. */
    near?: readonly [string, string];
  }>
> = {
  "a mount": {
    add: (app) => app.Mount("/m", teas()),
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}"],
    document: ["/m", "/m/teas", "/m/teas/{id}"],
    sitemap: ["/m", "/m/teas"],
    near: ["/n/teas", "/m/teas"],
  },
  "a mount of a fetch function": {
    add: (app) => app.Mount("/m", teas().fetch),
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}"],
    document: ["/m", "/m/teas", "/m/teas/{id}"],
    sitemap: ["/m", "/m/teas"],
    near: ["/n/teas", "/m/teas"],
  },
  "a mount at the root": {
    add: (app) => app.Mount("/", teas()),
    list: ["/", "/teas", "/teas/{id:int min(1)}"],
    document: ["/", "/teas", "/teas/{id}"],
    sitemap: ["/", "/teas"],
  },
  "a mount in a mount in a party": {
    add(app) {
      const middle = quiet();
      middle.Party("/b").Mount("/c", teas());
      app.Party("/a").Mount("/m", middle);
    },
    list: ["/a/m/b/c", "/a/m/b/c/teas", "/a/m/b/c/teas/{id:int min(1)}"],
    document: ["/a/m/b/c", "/a/m/b/c/teas", "/a/m/b/c/teas/{id}"],
    sitemap: ["/a/m/b/c", "/a/m/b/c/teas"],
    near: ["/x/m/b/c/teas", "/a/m/b/c/teas"],
  },
  "a mount below a parameter of the same name": {
    add: (app) => app.Mount("/shops/{id}", teas()),
    list: ["/shops/{id}", "/shops/{id}/teas", "/shops/{id}/teas/{id:int min(1)}"],
    document: ["/shops/{id}", "/shops/{id}/teas", "/shops/{id}/teas/{id_2}"],
    sitemap: [],
  },
  "two mounts of one application": {
    add(app) {
      const inner = quiet();
      inner.Get("/teas", (ctx) => ctx.JSON([]));
      app.Mount("/m", inner);
      app.Mount("/n", inner);
    },
    list: ["/m/teas", "/n/teas"],
    document: ["/m/teas", "/n/teas"],
    sitemap: ["/m/teas", "/n/teas"],
    near: ["/o/teas", "/m/teas"],
  },
  "a mount that another route covers in part": {
    add(app) {
      app.Mount("/m", teas());
      app.Get("/m/teas", (ctx) => ctx.JSON([]));
    },
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}", "/m/teas"],
    document: ["/m", "/m/teas/{id}", "/m/teas"],
    sitemap: ["/m", "/m/teas"],
  },
  "a mount that another one replaces": {
    add(app) {
      app.Mount("/m", teas());
      const inner = quiet();
      inner.Get("/cups", (ctx) => ctx.JSON([]));
      app.Mount("/m", inner);
    },
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}", "/m/cups"],
    document: ["/m/cups"],
    sitemap: ["/m/cups"],
  },
  "a mount behind middleware": {
    add: (app) => app.Party("/g", pass).Mount("/m", teas()),
    list: ["/g/m", "/g/m/teas", "/g/m/teas/{id:int min(1)}"],
    document: ["/g/m", "/g/m/teas", "/g/m/teas/{id}"],
    sitemap: [],
  },
  "a switch with one host in a mount": {
    add: (app) => app.Mount("/m", apps.Switch([{ Pattern: "shop.example.com", Target: teas() }])),
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}"],
    document: ["/m", "/m/teas", "/m/teas/{id}"],
    sitemap: [],
  },
  "a switch with two hosts in a mount": {
    add(app) {
      const hosts = [{ Pattern: "shop.example.com", Target: teas() }, { Pattern: /^blog\./, Target: teas() }];
      app.Mount("/m", apps.Switch(hosts));
    },
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}", "/m", "/m/teas", "/m/teas/{id:int min(1)}"],
    document: [],
    sitemap: [],
  },
  "a switch by a pattern in a mount": {
    add: (app) => app.Mount("/m", apps.Switch([{ Pattern: /^shop\./, Target: teas() }])),
    list: ["/m", "/m/teas", "/m/teas/{id:int min(1)}"],
    document: [],
    sitemap: [],
  },
};

for (const [nesting, { add, near, ...shown }] of Object.entries(nestings)) {
  for (const [reader, paths] of Object.entries(shown)) {
    Deno.test(`${nesting}: the ${reader} shows the routes of the inner application`, async () => {
      const found = await readers[reader]?.(newApp(add), "");
      assertEquals(found?.filter((path) => path !== "/own").toSorted(), paths.toSorted());
    });
  }
  if (near === undefined) continue;
  Deno.test(`${nesting}: suggestions contain the pages of the inner application`, async () => {
    const [asked, expected] = near;
    assertEquals((await readers["suggestions"]?.(newApp(add), asked))?.[0], expected);
  });
}

Deno.test("routes.List() shows the hosts and the middleware of all applications around a route, outermost first", async () => {
  const named = (name: string) => ({ [name]: (ctx: fw.Context) => ctx.Next() })[name] as fw.Handler;
  const inner = quiet();
  inner.UseRouter(named("innerRouter"));
  inner.UseGlobal(named("innerGlobal"));
  inner.Use(named("innerUse"));
  inner.Get("/teas", pass, (ctx) => ctx.JSON([]));
  const middle = quiet();
  middle.UseRouter(named("middleRouter"));
  middle.Use(named("middleUse"));
  middle.Mount("/m", inner);
  const app = apps.Switch([
    { Pattern: "shop.example.com", Target: middle },
    { Pattern: "tea.example.com", Target: middle },
    { Pattern: "other.example.com", Target: "shop.example.com" },
  ]);
  app.UseRouter(named("outerRouter"));
  app.Use(named("unused"));
  await app.Build();
  assertEquals(routes.List(app).map(({ Path, Hosts, Middleware }) => [Path, Hosts, Middleware]), [[
    "/m/teas",
    ["shop.example.com", "tea.example.com"],
    ["outerRouter", "switchHosts", "middleRouter", "middleUse", "innerRouter", "innerGlobal", "innerUse"],
  ]]);
});

Deno.test("routes.List() explains why a route of a mounted application is unreachable", () => {
  const app = newApp((app) => {
    app.Mount("/m", teas());
    app.Get("/m/teas", (ctx) => ctx.JSON([]));
  });
  assertEquals(routes.List(app).filter(({ Path }) => Path === "/m/teas").map(({ Unreachable }) => Unreachable), [
    'another route, "GET /m/teas", accepts the same requests',
    undefined,
  ]);
});

Deno.test("Document.Build() documents the guards, names and versions of mounted applications", async () => {
  const app = quiet();
  const guard = basicauth.New({ Users: [{ Name: "ada", Password: "correct horse" }] });
  const party = app.Party("/g", guard);
  party.Mount("/m", teas());
  const versioned = quiet();
  const api = versioning.NewGroup(versioned, "2.0.0");
  api.Get("/cups", (ctx) => ctx.JSON([]));
  app.Mount("/v", versioned);
  const { paths } = await openapi.New({ ...info, ForVersion: "2.0.0" }).Build(app) as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  assertEquals(Object.keys(paths), ["/g/m", "/g/m/teas", "/g/m/teas/{id}", "/v/cups"]);
  const operation = paths["/g/m/teas/{id}"]?.["get"];
  assertEquals([operation?.["operationId"], operation?.["security"]], ["tea", [{ basic: [] }]]);
  assertEquals(paths["/g/m/teas"]?.["get"]?.["operationId"], "get_g_m_teas");
  const old = await openapi.New({ ...info, ForVersion: "1.0.0" }).Build(app);
  assertEquals(Object.keys(Object(old["paths"])).includes("/v/cups"), false);
  const part = await openapi.New(info).Build(party);
  assertEquals(Object.keys(Object(part["paths"])), ["/g/m", "/g/m/teas", "/g/m/teas/{id}"]);
  const filtered = await openapi.New({ ...info, Filter: ({ Path }) => Path.startsWith("/v/") }).Build(app);
  assertEquals(Object.keys(Object(filtered["paths"])), ["/v/cups"]);
});

Deno.test("Document.Build() documents a mount of another function as before", async () => {
  const app = newApp((app) => app.Mount("/old", () => new Response("old")));
  const { paths } = await openapi.New(info).Build(app);
  assertEquals(Object.keys(Object(paths)), ["/own", "/old"]);
});

Deno.test("the development page suggests the routes of mounted applications", async () => {
  const app = fw.New().Configure(fw.WithLogLevel("disable"), fw.WithDevelopment);
  app.Mount("/m", teas());
  const headers = { accept: "text/html" };
  const page = await (await app.fetch(new Request("http://localhost/n/teas", { headers }))).text();
  assertStringIncludes(page, `<th scope="row">GET</th><td><code>/m/teas</code></td>`);
});

Deno.test("Application.Explain() explains a request to a mounted application with the handlers of both", async () => {
  const inner = teas();
  inner.Use(pass);
  inner.Get("/cups/{cup}", function cup(ctx) {
    ctx.JSON({});
  });
  const app = quiet();
  app.UseRouter(pass);
  app.Party("/shops/{shop}").Mount("/m", inner);
  const found = await app.Explain("GET", "/shops/7/m/cups/8?x=1");
  assertEquals([found.Route, found.Template, found.Path], [
    "GET /shops/{shop}/m/cups/{cup}",
    "GET /shops/{shop}/m/cups/{cup}",
    "/shops/7/m/cups/8?x=1",
  ]);
  assertEquals(found.Params, { shop: "7", cup: "8" });
  assertEquals(found.Chain.map(({ Name }) => Name), ["pass", "mount", "pass", "cup"]);
  const named = await app.Explain("GET", "/shops/7/m/teas/8");
  assertEquals([named.Route, named.Template], ["tea", "GET /shops/{shop}/m/teas/{id:int min(1)}"]);
  assertEquals((await app.Explain("GET", "/shops/7/m")).Template, "GET /shops/{shop}/m");
  const missing = await app.Explain("GET", "/shops/7/m/teas/x");
  assertEquals([missing.Route, missing.Status], [undefined, 404]);
  assertEquals((await app.Explain("POST", "/shops/7/m/teas")).Allow, "GET, HEAD, OPTIONS");
});
