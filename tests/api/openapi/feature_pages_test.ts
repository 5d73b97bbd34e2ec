import { assert, assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as jobsPage from "@fw/web/jobs/page";
import * as mail from "@fw/web/mail";
import * as mcp from "@fw/web/mcp";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as monitor from "@fw/web/middleware/monitor";
import * as oauth from "@fw/web/middleware/oauth";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import * as sessions from "@fw/web/sessions";
import * as websocket from "@fw/web/websocket";
import { List as listRoutes } from "../../../src/tools/routes/mod.ts";
import { quiet } from "../../serving.ts";

const document = { Title: "Teas", Version: "1.0.0" };
function login(): oauth.Client {
  return oauth.New({
    Issuer: "https://login.example",
    ClientID: "tea",
    RedirectURL: "https://tea.example/callback",
    Sessions: sessions.New(),
  });
}

/** All features with pages, and the paths that they add. */
const features: readonly [string, (app: fw.Application) => unknown, readonly string[]][] = [
  ["jobs/page", (app) => jobsPage.New(jobs.New(jobs.NewMemory())).Register(app.Party("/jobs")), ["/jobs"]],
  ["monitor", (app) => monitor.New().Register(app.Party("/watch")), ["/watch", "/watch/stats"]],
  ["health.Register", (app) => health.New().Register(app), ["/livez", "/readyz"]],
  ["health.Live", (app) => app.Get("/alive", health.New().Live()), ["/alive"]],
  ["health.Ready, injected", (app) => {
    app.ConfigureContainer((api) => void api.Get("/ready", health.New().Ready()));
  }, ["/ready"]],
  ["metrics.Page", (app) => app.Get("/metrics", metrics.New().Page()), ["/metrics"]],
  ["openapi.Serve", (app) => openapi.New(document).Serve(app, "/docs"), ["/docs", "/docs.json", "/docs.yaml"]],
  ["openapi.UI", (app) => app.Get("/ui", openapi.UI()), ["/ui"]],
  ["mail.NewMemory", (app) => mail.NewMemory().Register(app.Party("/mails")), ["/mails"]],
  ["mcp", (app) =>
    mcp.New(app, {
      Name: "agents",
      Routes: () => false,
      Path: "/agents",
      Authorization: { Servers: ["https://login.example"] },
    }), [
    "/agents",
    "/.well-known/oauth-protected-resource/agents",
  ]],
  ["websocket.Client", (app) => app.Get("/live.js", websocket.Client()), ["/live.js"]],
  ["oauth", (app) => {
    const client = login();
    app.Get("/login", client.Login());
    app.Get("/callback", client.Callback());
    app.Post("/logout", client.Logout());
  }, ["/login", "/callback", "/logout"]],
  ["HandleDir", (app) => app.HandleDir("/files", new URL("./fixture/", import.meta.url)), ["/files"]],
  ["Favicon", (app) => app.Favicon(new URL("./fixture/icon.ico", import.meta.url)), ["/favicon.ico"]],
];

/** All readers of routes, each of which returns the paths that it shows. */
const readers: Readonly<Record<string, (app: fw.Application) => Promise<readonly string[]>>> = {
  "the OpenAPI document": async (app) => Object.keys(Object((await openapi.New(document).Build(app))["paths"])),
  "the sitemap": async (app) => {
    const response = await app.fetch(new Request("http://localhost/sitemap.xml"));
    return [...(await response.text()).matchAll(/<loc>https:\/\/tea.example(.*?)<\/loc>/g)].map(([, path = ""]) =>
      path
    );
  },
  "the tools": async (app) => {
    return (await servers.get(app)?.Tools() ?? []).map(({ name }) => `/${name.split("_").slice(1).join("/")}`);
  },
  "suggestions": async (app) => {
    const found: string[] = [];
    for (const { Path } of app.Routes()) {
      const response = await app.fetch(new Request(`http://localhost${Path.replace("*", "a")}x`));
      found.push(...await response.json());
    }
    return found;
  },
  "the route list, unless hidden": async (app) => {
    await app.Build();
    return listRoutes(app).filter(({ Hidden }) => !Hidden).map(({ Path }) => Path);
  },
};

const servers = new WeakMap<fw.Application, mcp.Server>();

function withTools(app: fw.Application): fw.Application {
  servers.set(app, mcp.New(app, { Name: "all", Routes: () => true, Path: "/all" }));
  return app;
}

function newApp(): fw.Application {
  const app = quiet().Configure(fw.WithSitemap("https://tea.example"));
  app.Get("/teas", (ctx) => ctx.JSON([]));
  app.OnErrorCode(404, (ctx) => ctx.JSON(ctx.FindClosest(9)));
  return app;
}

for (const [feature, add, paths] of features) {
  Deno.test(`${feature}: its pages are not part of the application's API`, async () => {
    for (const [reader, read] of Object.entries(readers)) {
      const app = newApp();
      add(app);
      const shown = await read(withTools(app));
      assertEquals(shown.filter((path) => paths.includes(path)), [], reader);
      assert(shown.includes("/teas"), reader);
      const reachable = listRoutes(app).map(({ Path }) => Path.replace(/\/\*$/, "").replace(/(.)\/$/, "$1"));
      for (const path of paths) assert(reachable.includes(path), `the route list has ${path}`);
      await app.Shutdown();
    }
  });
}

Deno.test("Route.Describe({ Hidden: false }) adds a feature's page to the application's API", async () => {
  const app = withTools(newApp());
  health.New().Register(app);
  for (const route of app.Routes()) if (route.Path === "/readyz") route.Describe({ Hidden: false });
  for (const [reader, read] of Object.entries(readers)) {
    const shown = await read(app);
    assert(shown.includes("/readyz"), reader);
    assert(!shown.includes("/livez"), reader);
  }
});

Deno.test("Document.Build() names no schema after a controller that another route has in common with it", async () => {
  const same = () => z.object({ name: z.string(), cups: z.int() });
  interface Tree {
    in: Tree[];
  }
  const tree: z.ZodType<Tree, Tree> = z.object({
    get in() {
      return z.array(tree);
    },
  });
  class ReturnsController {
    Post(_input = mvc.Body(same())) {
      return "";
    }
    Put(_input = mvc.Body(same())) {
      return "";
    }
    PostTree(_input = mvc.Body(tree)) {
      return "";
    }
  }
  class OthersController {
    Post(_input = mvc.Body(same())) {
      return "";
    }
    PostTree(_input = mvc.Body(tree)) {
      return "";
    }
  }
  const app = quiet();
  mvc.New(app.Party("/returns")).Handle(ReturnsController);
  app.ConfigureContainer((api) => {
    api.Post("/plain", (_ctx, _input = mvc.Body(same())) => "");
    api.Post("/plain/tree", (_ctx, _input = mvc.Body(tree)) => "");
  });
  app.Get("/plain", (ctx) => ctx.WriteString("")).Describe({ Returns: z.array(same()) });
  mvc.New(app.Party("/others")).Handle(OthersController);
  const { paths } = await openapi.New(document).Build(app) as { paths: Record<string, unknown> };
  const names = (path: string) => JSON.stringify(paths[path]).match(/(?<=schemas\/)(?!Problem)\w+/g) ?? [];
  for (const name of [...names("/plain"), ...names("/plain/tree")]) assert(!name.includes("Controller"), name);
  for (const name of [...names("/others"), ...names("/others/tree")]) assert(!name.startsWith("Returns"), name);
  assertEquals(new Set(names("/returns")), new Set(["ReturnsController_Post_Body"]));
  assertEquals(new Set(names("/plain")), new Set(["post_plain_Body"]));
});

const users = [{ Name: "ann", Password: "tea" }];

function handler(ctx: fw.Context): void {
  ctx.JSON([]);
}

/** The ways to put a guard before a route. */
const ways: Readonly<Record<string, (app: fw.Application, guard: fw.Handler) => unknown>> = {
  "Use": (app, guard) => app.Use(guard).Get("/teas", handler),
  "UseRouter": (app, guard) => app.UseRouter(guard).Get("/teas", handler),
  "UseGlobal": (app, guard) => {
    app.Get("/teas", handler);
    app.UseGlobal(guard);
  },
  "a party's handler": (app, guard) => app.Party("/teas", guard).Get("/", handler),
  "the route's handler": (app, guard) => app.Get("/teas", guard, handler),
  "Use of a container": (app, guard) => app.ConfigureContainer().Use(guard).Get("/teas", handler),
  "a handler of a container": (app, guard) => app.ConfigureContainer().Get("/teas", guard, handler),
  "a controller's party": (app, guard) => {
    class Teas {
      Get(): string[] {
        return [];
      }
    }
    mvc.New(app.Party("/teas", guard)).Handle(Teas);
  },
};

for (const [way, add] of Object.entries(ways)) {
  Deno.test(`${way}: API documents and lists of tools know the guard`, async () => {
    const app = quiet();
    add(app, basicauth.New({ Users: users }));
    mcp.New(app, { Name: "teas", Routes: () => true, Sessions: false, Path: "/mcp" });
    const { paths } = await openapi.New(document).Build(app) as { paths: Record<string, unknown> };
    assertEquals(Object(paths["/teas"]).get.security, [{ basic: [] }]);
    const list = async (headers: Record<string, string>) => {
      const response = await app.fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
        }),
      );
      return response.status === 401 ? 0 : (await response.json()).result.tools.length;
    };
    assertEquals(await list({}), 0);
    assertEquals(await list({ authorization: `Basic ${btoa("ann:tea")}` }), 1);
  });
}
