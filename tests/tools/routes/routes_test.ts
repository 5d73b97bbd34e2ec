import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as mvc from "../../../mvc/mod.ts";
import * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as auth from "@fw/web/middleware/auth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as health from "@fw/web/middleware/health";
import * as jwt from "@fw/web/middleware/jwt";
import * as metrics from "@fw/web/middleware/metrics";
import * as oauth from "@fw/web/middleware/oauth";
import * as openapi from "@fw/web/openapi";
import * as policy from "@fw/web/policy";
import * as routes from "@fw/web/routes";
import * as sessions from "@fw/web/sessions";
import * as versioning from "@fw/web/versioning";
import { type Ended, runProgram } from "../../running.ts";

function show(ctx: fw.Context): void {
  ctx.JSON({});
}

function guard(ctx: fw.Context): Promise<void> | undefined {
  return ctx.Next();
}

function newApp(): fw.Application {
  const app = fw.New();
  app.UseRouter(guard);
  app.Get("/users/{id:int min(1)}", show);
  app.Get("/users/me", show);
  app.Post("/users", show);
  app.Get("/files/{name:path}", show);
  app.Party("admin.").Get("/users/{id}", show);
  return app;
}

Deno.test("Application.Explain() returns the route, its parameters and its chain", async () => {
  const found = await newApp().Explain("get", "/users/5?x=1");
  assertEquals([found.Route, found.Params], ["GET /users/{id:int min(1)}", { id: "5" }]);
  assertEquals(found.Chain.map(({ Name, From }) => [Name, From]), [["guard", "UseRouter"], ["show", "route"]]);
  assertEquals((await newApp().Explain("HEAD", "/files/a%20b/c")).Params, { name: "a b/c" });
});

Deno.test("Application.Explain() shows the template of a named route", async () => {
  const app = newApp();
  app.Get("/teas/{id}", show).SetName("tea");
  const { Route, Template } = await app.Explain("GET", "/teas/1");
  assertEquals([Route, Template], ["tea", "GET /teas/{id}"]);
  assertEquals((await app.Explain("GET", "/nowhere")).Template, undefined);
});

Deno.test("Application.Explain() explains why other routes do not match", async () => {
  const whys = async (method: string, path: string) =>
    Object.fromEntries((await newApp().Explain(method, path)).Others.map(({ Route, Why }) => [Route, Why]));
  assertEquals(await whys("GET", "/users/0"), {
    "GET /users/{id:int min(1)}": '"0" is rejected by min(1)',
    "GET /users/me": '"0" is not "me"',
    "POST /users": 'its method is POST, "0" is not matched',
    "GET admin./users/{id}": 'it is on the subdomain "admin."',
  });
  assertEquals((await whys("DELETE", "/users"))["POST /users"], "its method is POST");
  assertEquals((await whys("GET", "/users"))["GET /users/me"], 'the path ends before "me"');
});

Deno.test("Application.Explain() reports redirects, OPTIONS, other methods and the names of controllers", async () => {
  class UserController {
    Get() {
      return "";
    }
  }
  const app = newApp();
  mvc.New(app.Party("/people")).Handle(UserController);
  const outcome = async (method: string, path: string) => {
    const { Route, Status, Location, Allow } = await app.Explain(method, path);
    return [Route, Status, Location ?? Allow];
  };
  assertEquals(await outcome("GET", "/users/me/?x=1"), [undefined, 301, "/users/me?x=1"]);
  assertEquals(await outcome("POST", "/users/"), [undefined, 307, "/users"]);
  assertEquals(await outcome("OPTIONS", "/users"), [undefined, 204, "OPTIONS, POST"]);
  assertEquals(await outcome("DELETE", "/users"), [undefined, 405, "OPTIONS, POST"]);
  assertEquals(await outcome("GET", "/nothing"), [undefined, 404, undefined]);
  assertEquals(await outcome("HEAD", "/users/me"), ["GET /users/me", undefined, undefined]);
  const { Chain, Action } = await app.Explain("GET", "/people");
  assertEquals([Chain.at(-1)?.Name, Action], ["UserController.Get", "UserController.Get"]);
});

Deno.test("Application.Explain() accepts a subdomain", async () => {
  assertEquals((await newApp().Explain("GET", "/users/x", "admin.")).Route, "GET admin./users/{id}");
});

Deno.test("routes.List() finds unreachable routes", () => {
  const app = fw.New();
  app.Get("/users/{id:int}", show);
  app.Get("/users/{number:number}", show);
  app.Get("/users/{name}", show);
  assertEquals(routes.List(app).map(({ Unreachable }) => Unreachable), [
    'a later route, "GET /users/{number:number}", accepts the same requests',
    undefined,
    undefined,
  ]);
});

/** Creates an application with two versions of a route. */
function versionedApp(): fw.Application {
  class TeaController {
    Get(): string {
      return "tea";
    }
  }
  const app = fw.New();
  versioning.NewGroup(app, "1.x").Get("/teas", show);
  mvc.New(app.Party("/teas")).Handle(TeaController, mvc.Version("2.x"));
  return app;
}

Deno.test("routes.List() shows the version ranges of routes, which do not replace each other", () => {
  const app = versionedApp();
  const shown = () => routes.List(app).map(({ Version, Unreachable }) => [Version, Unreachable]);
  assertEquals(shown(), [["1.x", undefined], ["2.x", undefined]]);
  app.Get("/teas", show);
  assertEquals(shown(), [["1.x", undefined], ["2.x", undefined], [undefined, undefined]]);
  app.Get("/teas", show);
  assertEquals(shown()[2], [undefined, 'a later route, "GET /teas", accepts the same requests']);
  assertEquals(shown()[0], ["1.x", undefined]);
});

Deno.test("routes.List() does not report overlapping routes as unreachable", () => {
  const app = fw.New();
  const teas = app.Party("/teas").SetRegisterRule(fw.RouteOverlap);
  teas.Get("/", guard);
  teas.Get("/", show);
  assertEquals(routes.List(app).map(({ Unreachable }) => Unreachable), [undefined, undefined]);
});

Deno.test("Application.Explain() shows the version range of the route, and those of the others", async () => {
  const app = versionedApp();
  app.Get("/teas", show);
  const { Version, Others } = await app.Explain("GET", "/teas");
  assertEquals([Version, Others.map(({ Why }) => Why)], ["1.x", [
    "its version is 2.x",
    "it serves all other versions",
  ]]);
  assertEquals((await newApp().Explain("GET", "/users/me")).Version, undefined);
});

Deno.test("routes.List() names the guards of the parties of a route, outermost first", () => {
  const app = fw.New();
  app.UseGlobal(function everywhere(ctx) {
    return ctx.Next();
  });
  const admin = app.Party("/admin");
  admin.UseRouter(function outer(ctx) {
    return ctx.Next();
  });
  admin.Use(guard);
  admin.Party("/users").Get("/", show);
  app.Get("/", show);
  assertEquals(routes.List(app).map(({ Middleware }) => Middleware), [["outer", "everywhere", "guard"], [
    "everywhere",
  ]]);
});

Deno.test("routes.List() names the middleware of a controller's method", () => {
  class UserController {
    Get() {
      return "";
    }
    PostLogin() {
      return "";
    }
  }
  const app = fw.New();
  app.UseRouter(guard);
  mvc.New(app).Handle(UserController, {
    Use: {
      PostLogin: [function limit(ctx) {
        return ctx.Next();
      }],
    },
  });
  assertEquals(routes.List(app).map(({ Action, Middleware, Handlers }) => [Action, Middleware, Handlers]), [
    ["UserController.Get", ["guard"], ["UserController.Get"]],
    ["UserController.PostLogin", ["guard", "limit"], ["UserController.PostLogin"]],
  ]);
});

/** The middleware that is created by each module. */
const middleware: Readonly<Record<string, () => fw.Handler>> = {
  accesslog: () => accesslog.New({ Output: () => {} }).Handler(),
  cache: () => cache.New(),
  compressed: () => compress.New(),
  etag: () => etag.New(),
  metrics: () => metrics.New().Handler(),
  metricsPage: () => metrics.New().Page(),
  openapiPage: () => openapi.UI({ Document: "/openapi.json" }),
  readyz: () => health.New().Ready(),
  sessions: () => sessions.New().Handler(),
};

for (const [name, create] of Object.entries(middleware)) {
  Deno.test(`routes.List() names the middleware ${name}`, () => {
    const app = fw.New();
    app.Get("/", create(), show);
    assertEquals(routes.List(app)[0]?.Handlers, [name, "show"]);
  });
}

function runRoutes(...args: string[]): Promise<Ended> {
  return runProgram("src/tools/routes/mod.ts", args);
}

Deno.test("routes.List() names guards, also those of oauth, of keys and with injected arguments, and no other middleware", () => {
  class Gate {
    isOpen = true;
  }
  class TeaPolicy {
    create(_user: fw.User) {
      return true;
    }
  }
  const app = fw.New();
  const login = oauth.New({
    Issuer: "https://accounts.example",
    ClientID: "teas",
    RedirectURL: "https://app.example/callback",
    Sessions: sessions.New(),
  });
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const Key = "at least 32 bytes that nobody can guess";
  app.Use(guard, login.Handler(), jwt.New({ Algorithms: ["HS256"], Key, Optional: true }));
  app.Get("/", show);
  app.Post("/open", policy.Anyone, show);
  app.Post("/oauth", login.Require("/login"), show);
  app.Post("/jwt", jwt.New({ Algorithms: ["HS256"], Key }), auth.Allow("admin", "editor"), show);
  app.Post("/keys", keys.Require("teas:write"), apikeys.Deny(), show);
  app.Post("/teas", policy.Require(TeaPolicy, "create"), show);
  app.Post(
    "/own",
    policy.Guard(function own(ctx: fw.Context) {
      return ctx.Next();
    }),
    show,
  );
  app.Party("/injected").ConfigureContainer((api) => {
    api.Register(new Gate());
    api.Use(policy.Guard(function gate(ctx: fw.Context, gate = mvc.Inject(Gate)) {
      return gate.isOpen ? ctx.Next() : undefined;
    }));
    api.Post("/", () => "done");
  });
  assertEquals(Object.fromEntries(routes.List(app).map(({ Path, Guards }) => [Path, Guards.join(" → ")])), {
    "/": "",
    "/open": "anyone",
    "/oauth": "oauth.Require",
    "/jwt": 'jwt → auth.Allow("admin", "editor")',
    "/keys": 'apikeys.Require("teas:write")',
    "/teas": "TeaPolicy.create",
    "/own": "own",
    "/injected": "gate",
  });
});

Deno.test("routes as a program shows the guards of each route", async () => {
  const { code, out, err } = await runRoutes("tests/tools/routes/guarded.ts", "--guards");
  assertEquals(code, 0, err);
  assertEquals(out.trimEnd().split("\n").map((line) => line.split(/ {2,}/)), [
    ["METHOD", "PATH", "GUARDS", "HANDLER"],
    ["GET", "/notes", "none", "list"],
    ["POST", "/notes", "none (a write)", "add"],
    ["DELETE", "/notes/{id:int}", 'auth.Allow("admin")', "remove"],
  ]);
});

Deno.test("routes as a program lists the routes with the places where they were registered", async () => {
  const { code, out, err } = await runRoutes("examples/hello/main.ts");
  assertEquals(code, 0, err);
  assertMatch(out, /^METHOD +PATH +MIDDLEWARE +HANDLER +REGISTERED AT\n/);
  assertMatch(out, /GET +\/ping +.*\S+ +examples\/hello\/main\.ts:\d+/);
});

Deno.test("routes as a program explains a request, as text and as JSON", async () => {
  const text = await runRoutes("examples/mvc/hello/main.ts", "GET", "/welcome/Ada/2");
  assertEquals(text.code, 0, text.err);
  assertStringIncludes(text.out, 'GET /welcome/Ada/2 matches "GET /welcome/{name:string}/{times:int}"');
  assertStringIncludes(text.out, "HelloController.GetWelcomeBy");
  const json = await runRoutes("examples/mvc/hello/main.ts", "GET", "/welcome/Ada/2", "--json");
  assertEquals(JSON.parse(json.out).Params, { name: "Ada", times: "2" });
  assertEquals((await runRoutes("examples/mvc/hello/main.ts", "GET", "/nowhere")).code, 1);
  assertEquals((await runRoutes()).code, 2);
  const named = await runRoutes("tests/tools/routes/named.ts", "GET", "/users/5");
  assertStringIncludes(named.out, `GET /users/5 matches "user" (GET /users/{id:long})`);
});
