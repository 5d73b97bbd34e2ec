import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as cache from "@fw/web/middleware/cache";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import * as versioning from "@fw/web/versioning";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";

function sends(text: string): fw.Handler {
  return (ctx) => ctx.WriteString(text);
}

function writesVersion(ctx: fw.Context): void {
  ctx.WriteString(versioning.GetVersion(ctx));
}

function asks(app: fw.Application): (version: string, path: string) => Promise<[number, string]> {
  return async (version, path) => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { headers: { "accept-version": version } }),
    );
    return [response.status, await response.text()];
  };
}

Deno.test("NewGroup() serves the versions of its range", async () => {
  const app = fw.New();
  const users = app.Party("/api/user");
  versioning.NewGroup(users, "1.0.0").Deprecated(versioning.DefaultDeprecationOptions).Get("/", sends("v1.0"));
  const v2 = versioning.NewGroup(users, ">= 2.0.0 < 3.0.0");
  v2.Get("/", sends("v2.x"));
  v2.Post("/", sends("v2.x"));
  v2.Put("/other", sends("v2.x"));
  const test = httptest.New(app);
  await test.GET("/api/user").WithHeader("Accept-Version", "1.0.0").Expect().Status(200).Body("v1.0")
    .Header("X-API-Warn", versioning.DefaultDeprecationOptions.WarnMessage).Header("X-Api-Version", "1.0.0");
  for (const version of ["2.0.0", "2.1.0", "2.9.9"]) {
    await test.GET("/api/user").WithHeader("Accept-Version", version).Expect().Status(200).Body("v2.x")
      .Header("X-Api-Version", version);
  }
  await test.POST("/api/user").WithHeader("Accept-Version", "2.0.0").Expect().Status(200).Body("v2.x");
  await test.PUT("/api/user/other").WithHeader("Accept", "application/json; version=2.9.0").Expect().Body("v2.x");
  await test.GET("/api/user").WithHeader("Accept-Version", "3.0").Expect().Status(501).Body("version not found");
  await test.GET("/api/user").Expect().Status(501).Body("version not found");
  await test.PUT("/api/user/other").WithHeader("Accept-Version", "1.0.0").Expect().Status(501);
});

Deno.test("NewGroup() rejects a malformed range at registration, and mvc.Version() when the application is built", async () => {
  assertThrows(() => versioning.NewGroup(fw.New(), ">=1.0"), fw.FrameworkError, ">=1.0");
  class Controller {
    Get(): string {
      return "";
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(Controller, mvc.Version("3.0"));
  await assertRejects(async () => await app.Build(), fw.FrameworkError, '"3.0"');
});

Deno.test("GetVersion() reads SetVersion, Accept-Version and Accept, in this order", async () => {
  const app = fw.New();
  app.Get("/", writesVersion);
  app.Get("/manual", (ctx) => {
    versioning.SetVersion(ctx, "11.0.5");
    return ctx.Next();
  }, writesVersion);
  const test = httptest.New(app);
  await test.GET("/").WithHeader("Accept-Version", "1.0.0").WithHeader("Accept", "a/b; version=9.0.0").Expect()
    .Body("1.0.0");
  const rows: [accept: string, version: string][] = [
    ["application/vnd.api+json; version=2.1.0", "2.1.0"],
    ["application/vnd.api+json; version=2.1.0 ;other=dsa", "2.1.0"],
    ["application/vnd.api+json;version=2.1.0;other=a b", "2.1.0"],
    ["version=2.1.0", "2.1.0"],
    ['application/json; version="2.1.0"; q=0.5', "2.1.0"],
    ["application/json; xversion=2.1.0", ""],
    ["text/html, application/json;version=1.0.0, */*", "1.0.0"],
    ["application/vnd.api+json; version=", ""],
    ["application/vnd.api+json; version= ;other=dsa", ""],
    ["version=", ""],
    ["application/vnd.version-1+json", ""],
    ["*/*", ""],
  ];
  for (const [accept, version] of rows) await test.GET("/").WithHeader("Accept", accept).Expect().Body(version);
  await test.GET("/").WithHeader("Accept-Version", "").Expect().Body("");
  await test.GET("/manual").WithHeader("Accept-Version", "1.0.0").Expect().Body("11.0.5");
});

Deno.test("Aliases() and ForVersion reject versions that no group can serve", async () => {
  for (const version of ["1", "v1.0.0", "latest", ""]) {
    const message = `Cannot define the version alias "stable": "${version}" is not a version such as "1.0.0"`;
    assertThrows(() => versioning.Aliases({ stable: version }), fw.FrameworkError, message);
    if (version === "") continue;
    const app = fw.New();
    versioning.NewGroup(app, "1.x").Get("/", writesVersion);
    const document = openapi.New({ Title: "Teas", Version: "1", ForVersion: version });
    await assertRejects(() => document.Build(app), fw.FrameworkError, `"${version}" is not a version such as "1.0.0"`);
  }
});

Deno.test("Aliases() defines aliases, regardless of the order of the groups", async () => {
  const app = fw.New();
  const api = app.Party("/api");
  api.Use(versioning.Aliases({ [versioning.Empty]: "1.0.0", stage: "2.0.0" }));
  versioning.NewGroup(api, ">= 3.0.0 < 4.0.0").Get("/", writesVersion);
  versioning.NewGroup(api, ">= 1.0.0 < 2.0.0").Get("/", writesVersion);
  versioning.NewGroup(api, ">= 2.0.0 < 3.0.0").Get("/", writesVersion);
  api.Get("/manual", (ctx) => {
    versioning.SetVersion(ctx, "12.0.0");
    return ctx.Next();
  }, writesVersion);
  const ask = asks(app);
  assertEquals(await ask("", "/api/manual"), [200, "12.0.0"]);
  assertEquals(await ask("", "/api"), [200, "1.0.0"]);
  assertEquals(await ask("4.0.0", "/api"), [501, "version not found"]);
  assertEquals(await ask("stage", "/api"), [200, "2.0.0"]);
  assertEquals(await ask("2.0.0", "/api"), [200, "2.0.0"]);
  assertEquals(await ask("3.1.0", "/api"), [200, "3.1.0"]);
  assertEquals(await ask("constructor", "/api"), [501, "version not found"]);
});

Deno.test("Deprecated() and WriteDeprecated() send the warning, the dates and the standard header fields", async () => {
  const app = fw.New();
  const options = {
    WarnMessage: "deprecated, see <this link>",
    DeprecationDate: new Date("2030-01-02T03:04:05Z"),
    DeprecationInfo: "a bigger version is available",
    Sunset: new Date("2031-01-02T03:04:05Z"),
  };
  app.Get("/", versioning.Deprecated(writesVersion, options));
  app.Get("/plain", (ctx) => versioning.WriteDeprecated(ctx));
  const test = httptest.New(app);
  await test.GET("/").WithHeader("Accept-Version", "1.0").Expect().Status(200).Body("1.0")
    .Header("X-API-Warn", options.WarnMessage)
    .Header("X-API-Deprecation-Date", "Wed, 02 Jan 2030 03:04:05 GMT")
    .Header("X-API-Deprecation-Info", options.DeprecationInfo)
    .Header("Deprecation", "@1893553445").Header("Sunset", "Thu, 02 Jan 2031 03:04:05 GMT");
  await test.GET("/plain").Expect().Header("X-Api-Warn", versioning.DefaultDeprecationOptions.WarnMessage);
  assertThrows(() => versioning.Deprecated(writesVersion, { WarnMessage: "a\r\nb: c" }));
  assertThrows(() => versioning.Deprecated(writesVersion, { Sunset: new Date(NaN) }), fw.FrameworkError, "Sunset");
});

Deno.test("If() and Match() compare versions with ranges", async () => {
  assertEquals(versioning.If("1.0.0", ">=1.0.0"), true);
  assertEquals(versioning.If("1.2.3", "> 1.2.0"), true);
  assertEquals(versioning.If("3.0", ">=1.0.0"), false);
  assertEquals(versioning.If("3.0.0", ">=x"), false);
  const app = fw.New();
  app.Get("/", (ctx) => ctx.JSON(versioning.Match(ctx, ">=2.0.0")));
  const ask = asks(app);
  assertEquals(await ask("2.0.1", "/"), [200, "true"]);
  assertEquals(await ask("1.0.0", "/"), [200, "false"]);
});

Deno.test("FromQuery() reads the version from the query", async () => {
  const app = fw.New();
  const api = app.Party("/api", versioning.FromQuery("v", "1.0.0"));
  versioning.NewGroup(api, "1.x").Get("/", writesVersion);
  versioning.NewGroup(api, "2.x").Get("/", writesVersion);
  const ask = asks(app);
  assertEquals(await ask("", "/api?v=2.3.4"), [200, "2.3.4"]);
  assertEquals(await ask("2.0.0", "/api"), [200, "1.0.0"]);
  assertEquals(await ask("", "/api?v=9.0.0"), [501, "version not found"]);
});

Deno.test("NotFoundHandler() replaces the response for versions that no group serves", async () => {
  const app = fw.New();
  const api = app.Party("/api");
  api.Use(versioning.NotFoundHandler((ctx) => ctx.StopWithJSON(406, { versions: ["1.x"] })));
  versioning.NewGroup(api, "1.x").Get("/", sends("v1"));
  assertEquals(await asks(app)("2.0.0", "/api"), [406, '{"versions":["1.x"]}']);
});

Deno.test("NewGroup() leaves other versions to routes outside groups, registered before or after it", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => lines.push(line));
  const api = app.Party("/api");
  api.Get("/before", sends("rest"));
  const v1 = versioning.NewGroup(api, "1.x");
  v1.Get("/before", sends("v1"));
  v1.Get("/after", sends("v1"));
  api.Get("/after", sends("rest"));
  const ask = asks(app);
  for (const path of ["/api/before", "/api/after"]) {
    assertEquals(await ask("1.0.0", path), [200, "v1"]);
    assertEquals(await ask("2.0.0", path), [200, "rest"]);
    assertEquals(await ask("", path), [200, "rest"]);
  }
  assertEquals(lines.filter((line) => line.includes("replaces")), []);
});

Deno.test("NewGroup() keeps the status with which the route of the version stopped", async () => {
  const app = fw.New();
  versioning.NewGroup(app, "1.x").Get("/", (ctx) => ctx.StopWithStatus(403));
  versioning.NewGroup(app, "2.x").Get("/", sends("v2"));
  const ask = asks(app);
  assertEquals(await ask("1.0.0", "/"), [403, "Forbidden"]);
  assertEquals(await ask("2.0.0", "/"), [200, "v2"]);
});

Deno.test("example versioning: each version has its routes, error pages and views", async () => {
  const app = fw.New();
  app.OnErrorCode(404, sends("root"));
  const api = app.Party("/api");
  api.UseRouter(versioning.Aliases({ [versioning.Empty]: "1.0.0", latest: "3.0.0" }));
  for (const [name, range] of [["v1", ">=1.0.0 <2.0.0"], ["v2", ">=2.0.0 <3.0.0"], ["v3", ">=3.0.0 <4.0.0"]] as const) {
    const group = versioning.NewGroup(api, range);
    group.RegisterView(
      fw.HTML("").ParseTemplate("index.html", `<h1>${name}</h1>`).ParseTemplate("lost.html", `<i>${name}</i>`),
    );
    group.OnErrorCode(404, (ctx) => ctx.View("lost"));
    group.Get("/", (ctx) => ctx.JSON({ version: name }));
    group.Get("/render", (ctx) => ctx.View("index"));
    group.Get("/missing", (ctx) => ctx.NotFound());
  }
  const ask = asks(app);
  assertEquals(await ask("", "/api"), [200, '{"version":"v1"}']);
  assertEquals(await ask("2.4.0", "/api/render"), [200, "<h1>v2</h1>"]);
  assertEquals(await ask("latest", "/api/missing"), [404, "<i>v3</i>"]);
  assertEquals(await ask("2.0.0", "/api/nowhere"), [404, "<i>v2</i>"]);
  assertEquals(await ask("latest", "/api/nowhere"), [404, "<i>v3</i>"]);
  assertEquals(await ask("7.0.0", "/api/nowhere"), [404, "root"]);
  assertEquals(await ask("", "/nowhere"), [404, "root"]);
});

class V1 {
  Get(): string {
    return "data (v1.x)";
  }
}
class V2 {
  Get(): string {
    return "data (v2.x)";
  }
}
class V3 {
  Get(): string {
    return "data (v3.x)";
  }
}
class Unversioned {
  Get(): string {
    return "data";
  }
}

Deno.test("example versioned-controller: mvc.Version() and mvc.Deprecated() are options of Handle", async () => {
  const app = fw.New();
  const m = mvc.New(app.Party("/data"));
  const DeprecationDate = new Date("2026-01-01T00:00:00Z");
  m.Handle(V1, mvc.Version("1.0.0"), mvc.Deprecated({ WarnMessage: "see v2", DeprecationDate }));
  m.Handle(V2, mvc.Version("2.3.0"));
  m.Handle(V3, mvc.Version(">=3.0.0 <4.0.0"));
  m.Handle(Unversioned);
  const ask = asks(app);
  assertEquals(await ask("1.0.0", "/data"), [200, "data (v1.x)"]);
  assertEquals(await ask("2.3.0", "/data"), [200, "data (v2.x)"]);
  assertEquals(await ask("3.1.0", "/data"), [200, "data (v3.x)"]);
  assertEquals(await ask("4.0.0", "/data"), [200, "data"]);
  assertEquals(await ask("", "/data"), [200, "data"]);
  await httptest.New(app).GET("/data").WithHeader("Accept-Version", "1.0.0").Expect().Header("X-API-Warn", "see v2")
    .Header("X-Api-Deprecation-Date", DeprecationDate.toUTCString());
  const bare = fw.New();
  mvc.New(bare).Handle(V1, mvc.Version("1.0.0"));
  assertEquals(await asks(bare)("2.0.0", "/"), [501, "version not found"]);
});

Deno.test("NewGroup() separates the versions in caches and runs the party's guard for all of them", async () => {
  const app = fw.New();
  let runs = 0;
  const api = app.Party("/api", (ctx) => {
    runs++;
    return ctx.Next();
  }, cache.New({ MaxAge: 60_000 }));
  versioning.NewGroup(api, "1.x").Get("/", sends("v1"));
  versioning.NewGroup(api, "2.x").Get("/", sends("v2"));
  const ask = asks(app);
  for (const _ of [1, 2]) {
    assertEquals(await ask("1.0.0", "/api"), [200, "v1"]);
    assertEquals(await ask("2.0.0", "/api"), [200, "v2"]);
  }
  assertEquals(runs, 4);
});

Deno.test("NewGroup() runs its guards below its prefix only for its versions", async () => {
  const app = fw.New();
  app.Get("/{rest:path}", sends("outer"));
  const api = app.Party("/api");
  versioning.NewGroup(api, "1.x").Deprecated();
  versioning.NewGroup(api, "2.x").Use((ctx) => ctx.StopWithStatus(401));
  const ask = asks(app);
  assertEquals(await ask("1.0.0", "/api/x"), [200, "outer"]);
  assertEquals(await ask("2.0.0", "/api/x"), [401, "Unauthorized"]);
  assertEquals(await ask("", "/api/x"), [200, "outer"]);
});

Deno.test("openapi.New() describes one version with ForVersion", async () => {
  const app = fw.New();
  const v1 = versioning.NewGroup(app, "1.x");
  v1.Get("/teas", sends("")).Describe({ Summary: "one" });
  v1.Get("/old", sends(""));
  versioning.NewGroup(app, "2.x").Get("/teas", sends("")).Describe({ Summary: "two" });
  app.Get("/teas", sends("")).Describe({ Summary: "rest" });
  app.Get("/health", sends(""));
  const describe = async (ForVersion: string) => {
    const document = await openapi.New({ Title: "Teas", Version: ForVersion, ForVersion }).Build(app);
    const paths = document["paths"] as Record<string, { get: { summary?: string } }>;
    return [Object.keys(paths).sort(), paths["/teas"]?.get.summary];
  };
  assertEquals(await describe("1.4.0"), [["/health", "/old", "/teas"], "one"]);
  assertEquals(await describe("2.0.0"), [["/health", "/teas"], "two"]);
  assertEquals(await describe("9.0.0"), [["/health", "/teas"], "rest"]);
});

/** Creates middleware that adds a word to a response header. */
function notes(word: string): fw.Handler {
  return (ctx) => {
    ctx.AddHeader("x-seen", word);
    return ctx.Next();
  };
}

Deno.test("Group.UseRouter() applies only to its versions, even for paths without a route", async () => {
  for (const prefix of ["/api", "/"]) {
    const app = fw.New();
    const api = app.Party(prefix).UseRouter(notes("all"));
    api.Use(versioning.Aliases({ [versioning.Empty]: "1.0.0" }));
    versioning.NewGroup(api, "1.x").UseRouter(notes("v1")).Use(notes("use1")).Get("/teas", writesVersion);
    versioning.NewGroup(api, "2.x").UseRouter(notes("v2")).Get("/teas", writesVersion);
    api.Get("/rest", sends("rest"));
    const seen = async (path: string, version: string) => {
      const headers = { "accept-version": version };
      const response = await app.fetch(
        new Request(`http://localhost${prefix === "/" ? "" : prefix}${path}`, { headers }),
      );
      await response.body?.cancel();
      return [response.status, response.headers.get("x-seen")];
    };
    assertEquals(await seen("/teas", "1.2.0"), [200, "all, v1, use1"]);
    assertEquals(await seen("/teas", ""), [200, "all, v1, use1"], "the middleware of the party names the version");
    assertEquals(await seen("/teas", "2.0.0"), [200, "all, v2"]);
    assertEquals(await seen("/teas", "3.0.0"), [501, "all"]);
    assertEquals(await seen("/none", "1.0.0"), [404, "all, v1"]);
    assertEquals(await seen("/none", "2.0.0"), [404, "all, v2"]);
    assertEquals(await seen("/none", "3.0.0"), [404, "all"]);
    assertEquals(await seen("/rest", "1.0.0"), [200, "all"]);
  }
});

Deno.test("Group middleware does not run for a version that no group supports, regardless of the number of groups", async () => {
  const app = fw.New();
  versioning.NewGroup(app, "1.x").Deprecated().Use((ctx) => ctx.StopWithStatus(401)).Get("/", sends("v1"));
  const test = httptest.New(app);
  await test.GET("/").WithHeader("Accept-Version", "1.0.0").Expect().Status(401);
  await test.GET("/").WithHeader("Accept-Version", "2.0.0").Expect().Status(501).Header("X-Api-Warn", "");
});

Deno.test("a party inside a group belongs to its versions, with its guards and its error pages", async () => {
  const app = fw.New();
  app.Get("/{rest:path}", sends("outer"));
  const v1 = versioning.NewGroup(app.Party("/api"), "1.x");
  const admin = v1.Party("/admin", (ctx) => ctx.StopWithStatus(401));
  admin.Get("/", sends("admin"));
  admin.OnErrorCode(401, sends("401 of v1"));
  const ask = asks(app);
  assertEquals(await ask("1.0.0", "/api/admin"), [401, "401 of v1"]);
  assertEquals(await ask("2.0.0", "/api/admin"), [501, "version not found"]);
  assertEquals(await ask("1.0.0", "/api/admin/x"), [401, "Unauthorized"], "the error page is that of the route");
  assertEquals(await ask("2.0.0", "/api/admin/x"), [200, "outer"]);
});

Deno.test("Group.UseRouter() runs once under Exec", async () => {
  const app = fw.New();
  versioning.NewGroup(app, "1.x").UseRouter(notes("v1")).Get("/inner", writesVersion);
  app.Get("/outer", (ctx) => ctx.Exec("GET", "/inner"));
  const test = httptest.New(app);
  await test.GET("/outer").WithHeader("Accept-Version", "1.0.0").Expect().Body("1.0.0").Header("x-seen", "v1");
});

Deno.test("openapi.New() describes the routes behind Deprecated() as deprecated, in each version", async () => {
  class OldController {
    Get(): string {
      return "";
    }
  }
  const app = fw.New();
  const v1 = versioning.NewGroup(app, "1.x");
  v1.Get("/early", sends(""));
  v1.Deprecated().Get("/teas", sends(""));
  v1.Get("/kept", sends("")).Describe({ Deprecated: false });
  v1.Party("/inner").Get("/", sends(""));
  versioning.NewGroup(app, "2.x").Get("/teas", sends(""));
  app.Get("/one", versioning.Deprecated(sends("")));
  mvc.New(app.Party("/old")).Handle(OldController, mvc.Version("1.x"), mvc.Deprecated());
  const deprecated = async (ForVersion?: string) => {
    const document = await openapi.New({ Title: "Teas", Version: "1", ...ForVersion && { ForVersion } }).Build(app);
    const paths = Object.entries(document["paths"] as Record<string, { get: { deprecated?: boolean } }>);
    return paths.filter(([, { get }]) => get.deprecated === true).map(([path]) => path).sort();
  };
  assertEquals(await deprecated("1.4.0"), ["/inner", "/old", "/one", "/teas"]);
  assertEquals(await deprecated("2.0.0"), ["/one"]);
  assertEquals(await deprecated(), ["/inner", "/old", "/one"], "a route is deprecated if all of its versions are");
});

Deno.test("NewGroup() inside a group serves the versions of both", async () => {
  const app = fw.New();
  const outer = versioning.NewGroup(app, "1.x");
  outer.Get("/", sends("outer"));
  versioning.NewGroup(outer, ">=1.5.0").Get("/deep", writesVersion);
  const test = httptest.New(app);
  await test.GET("/deep").WithHeader("Accept-Version", "1.6.0").Expect().Body("1.6.0").Header("X-Api-Version", "1.6.0");
  await test.GET("/deep").WithHeader("Accept-Version", "1.4.0").Expect().Status(501).Header("X-Api-Version", "");
  await test.GET("/deep").WithHeader("Accept-Version", "2.0.0").Expect().Status(501);
  await test.GET("/").WithHeader("Accept-Version", "1.4.0").Expect().Body("outer");
});

Deno.test("NewGroup() responds to unknown versions like to any other error, without a log line", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => void lines.push(line));
  app.I18n.LoadKV({ en: { old: "Update the app" }, de: { old: "Aktualisiere die App" } }, "en", "de");
  const api = app.Party("/api");
  versioning.NewGroup(api, "1.x").Get("/", sends("v1"));
  const site = app.Party("/site");
  site.OnErrorCode(501, (ctx) => ctx.WriteString(ctx.Tr("old")));
  versioning.NewGroup(site, "1.x").Get("/", sends("v1"));

  const test = httptest.New(app).WithHeader("accept-version", "2.0.0");
  await test.GET("/api").Expect().Status(501).Body("version not found");
  await test.GET("/api").WithHeader("accept", "application/json").Expect().Status(501)
    .ContentType("application/problem+json")
    .JSON({ type: "about:blank", title: "Not Implemented", status: 501, detail: "version not found" });
  await test.GET("/de/site").Expect().Status(501).Body("Aktualisiere die App");
  app.Logger().Flush();
  assertEquals(lines, []);
});

Deno.test("NewGroup() serves a version only at the path templates that it has", async () => {
  const app = fw.New();
  versioning.NewGroup(app, "1.x").Get("/{id:int}", sends("one"));
  versioning.NewGroup(app, "2.x").Get("/{id}", sends("two"));
  const ask = asks(app);
  assertEquals([await ask("1.0.0", "/7"), await ask("2.0.0", "/x")], [[200, "one"], [200, "two"]]);
  assertEquals([(await ask("2.0.0", "/7"))[0], (await ask("1.0.0", "/x"))[0]], [501, 501]);
});
